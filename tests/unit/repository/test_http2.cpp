// A real HTTP/2 server over TLS (nghttpd, package nghttp2-server), with a certificate that is made
// for the run. Skipped, with the reason, where nghttpd or openssl is not installed.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

#include "base/digest.hpp"
#include "tests/unit/repository/support.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;
using namespace std::chrono_literals;

namespace {

// Starts a program with its output in a file; its process, or -1.
pid_t start(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = -1;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : -1;
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

[[noreturn]] void skip(const char* why) {
  std::fprintf(stderr, "skipped: %s\n", why);
  std::exit(77);
}

// A port that nobody listens on now.
std::uint16_t free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  socklen_t size = sizeof address;
  ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(probe);
  return ntohs(address.sin_port);
}

class Http2Server {
 public:
  explicit Http2Server(const std::filesystem::path& root)
      : dir_(base::TempDir::create("/tmp", "rowgate-http2").value()), port_(free_port()) {
    const std::string key = (dir_.path() / "key.pem").string();
    const pid_t made = start({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                              key, "-out", certificate(), "-days", "2", "-subj", "/CN=localhost",
                              "-addext", "subjectAltName=DNS:localhost"},
                             (dir_.path() / "openssl.log").string());
    if (made < 0 || status_of(made) != 0) skip("openssl is not installed");
    child_ = start({"nghttpd", "-v", "-d", root.string(), "-a", "127.0.0.1", std::to_string(port_),
                    key, certificate()},
                   log_file());
    if (child_ < 0) skip("nghttpd is not installed: apt-get install nghttp2-server");
    while (log().find("listen") == std::string::npos) {
      int status = 0;
      if (::waitpid(child_, &status, WNOHANG) == child_) {
        child_ = -1;
        REQUIRE_MESSAGE(false, log());
      }
      std::this_thread::sleep_for(10ms);
    }
  }
  ~Http2Server() {
    if (child_ <= 0) return;
    ::kill(child_, SIGTERM);
    status_of(child_);
  }
  Http2Server(const Http2Server&) = delete;
  Http2Server& operator=(const Http2Server&) = delete;

  std::string url() const { return "https://localhost:" + std::to_string(port_); }
  std::string certificate() const { return (dir_.path() / "cert.pem").string(); }
  // Connections that sent a request: nghttpd's log numbers them, "[id=1] …".
  std::size_t connections() const {
    std::set<std::string> ids;
    const std::string text = log();
    for (std::size_t at = text.find("[id="); at != std::string::npos;
         at = text.find("[id=", at + 1))
      ids.insert(text.substr(at, text.find(']', at) - at));
    return ids.size();
  }

 private:
  std::string log_file() const { return (dir_.path() / "nghttpd.log").string(); }
  std::string log() const { return base::read_file(log_file()).value_or(""); }

  base::TempDir dir_;
  std::uint16_t port_;
  pid_t child_ = -1;
};

}  // namespace

TEST_CASE("a wave over HTTP/2 shares one connection, and is verified as ever") {
  test::Served served;
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i) {
    const std::string version = std::to_string(i);
    paths.push_back("org/acme/thing/" + version + "/thing-" + version + ".pom");
    served.put(paths.back(), test::pom_text(version));
    served.put(paths.back() + ".sha1",
               base::digest(base::DigestKind::sha1, base::as_bytes(test::pom_text(version))));
  }
  paths.push_back("org/acme/none/1/none-1.pom");
  const Http2Server server(served.root);
  RepositoryConfig config = served.config();
  config.repositories = {"acme=" + server.url()};
  config.environment["SSL_CERT_FILE"] = server.certificate();
  RepositorySet repositories = served.open(config);
  const auto answers = repositories.fetch_all(paths, served.context);
  for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
    REQUIRE_MESSAGE(answers[i], answers[i].error().to_string());
    CHECK(test::contents(answers[i]) == test::pom_text(std::to_string(i)));
    CHECK(answers[i]->verification == Verification::verified);
  }
  REQUIRE(!answers.back());
  CHECK(answers.back().error().code == ErrorCode::not_found);
  CHECK(server.connections() == 1);
}

TEST_CASE("a certificate that nobody vouches for is an error, not a download") {
  test::Served served;
  const Http2Server server(served.root);
  RepositoryConfig config = served.config();
  config.repositories = {"acme=" + server.url()};
  RepositorySet repositories = served.open(config);
  const auto answer = repositories.fetch(test::kPom, served.context);
  REQUIRE(!answer);
  CHECK(answer.error().code == ErrorCode::network);
  CHECK(answer.error().message.find("certificate") != std::string::npos);
  CHECK(served.files_kept() == 0);
}
