// Every row of the table "what a repository may answer", against a real server on the loopback
// interface. Which answers Maven 3.9's resolver takes for "not found", "error" or "fine" was
// measured with it; where rowgate is stricter (HTML, cut-off files, checksum mismatches) the test
// says so.
#include <doctest/doctest.h>
#include <algorithm>

#include <condition_variable>
#include <functional>
#include <thread>

#include "base/digest.hpp"
#include "pomcheck/http_client.hpp"
#include "tests/unit/repository/support.hpp"

using namespace rowgate;
using namespace rowgate::test;
using namespace rowgate::pomcheck;
using namespace std::chrono_literals;

namespace {

using Change = std::function<RepositoryConfig(RepositoryConfig)>;

// The error that a repository with one rule gives for `path`.
Error error_under(
    const std::string& behaviour, const std::string& path = kPom, const std::string& pattern = "*",
    const Change& changed = [](RepositoryConfig config) { return config; }) {
  Served served(Rules{{pattern, behaviour}});
  RepositorySet repositories = served.open(changed(served.config()));
  const auto answer = repositories.fetch(path, served.context);
  INFO(behaviour);
  REQUIRE_FALSE(answer);
  CHECK_MESSAGE(served.files_kept() == 0, behaviour);
  return answer.error();
}

}  // namespace

TEST_CASE("a file comes, is checked against its .sha1, and is asked for once") {
  Served served;
  RepositorySet repositories = served.open();
  const auto pom = repositories.fetch(kPom, served.context);
  REQUIRE(pom);
  CHECK(contents(pom) == pom_text());
  CHECK(pom->repository == "acme");
  CHECK(pom->location == served.server.url() + "/" + kPom);
  CHECK(pom->verification == Verification::verified);
  const auto jar = repositories.fetch(kJar, served.context);
  REQUIRE(jar);
  CHECK(contents(jar) == jar_bytes(300'000));

  const std::size_t requests = served.server.requests().size();
  CHECK(requests == 4);  // two files, two .sha1
  RepositorySet again = served.open();
  CHECK(again.fetch(kPom, served.context)->path == pom->path);
  CHECK(again.fetch(kJar, served.context)->verification == Verification::verified);
  CHECK(served.server.requests().size() == requests);
  CHECK(served.server.requests().front().header("User-Agent").starts_with("rowgate/"));
  CHECK(served.server.requests().front().header("Accept-Encoding").find("gzip") == 0);
}

TEST_CASE("404 and 410 mean that it is not in this repository") {
  for (const char* behaviour : {"status:404", "status:410"}) {
    const Error error = error_under(behaviour);
    CHECK(error.code == ErrorCode::not_found);
    CHECK(error.message == "is not in repository acme");
  }
}

TEST_CASE("other statuses tell nothing about existence, and name the repository and the code") {
  for (int status : {400, 401, 402, 403, 407, 408, 409, 418, 429, 500, 501, 502, 503, 504}) {
    const Error error = error_under("status:" + std::to_string(status));
    INFO(status);
    CHECK(error.code == ErrorCode::network);
    CHECK(error.message.find("repository acme answered HTTP " + std::to_string(status)) == 0);
    CHECK(error.subject.ends_with(kPom));
    CHECK_FALSE(error.remedy.empty());
  }
}

TEST_CASE("what passes is tried again: 429, 503, 500, a reset connection") {
  for (const char* behaviour :
       {"fail:429:2", "fail:503:3", "fail:500:1", "fail:408:1", "reset-once"}) {
    Served served(Rules{{"*.pom", behaviour}});
    RepositorySet repositories = served.open();
    INFO(behaviour);
    const auto pom = repositories.fetch(kPom, served.context);
    REQUIRE(pom);
    CHECK(contents(pom) == pom_text());
    CHECK(served.server.count("/" + kPom) >= 2);
  }
}

TEST_CASE("what does not pass is tried four times, client errors once") {
  Served busy(Rules{{"*.pom", "status:503"}});
  CHECK_FALSE(busy.open().fetch(kPom, busy.context));
  CHECK(busy.server.count("/" + kPom) == 4);
  Served refused(Rules{{"*.pom", "status:403"}});
  CHECK_FALSE(refused.open().fetch(kPom, refused.context));
  CHECK(refused.server.count("/" + kPom) == 1);
}

TEST_CASE("Retry-After is honoured, and capped") {
  Served served(Rules{{"*.pom", "status:429:Retry-After: 3600"}});
  RepositoryConfig config = served.config();
  config.http.retries = 1;
  config.http.first_delay = 1ms;
  config.http.max_delay = 300ms;
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(served.open(config).fetch(kPom, served.context));
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(took >= 300ms);
  CHECK(took < 60s);
}

TEST_CASE("Retry-After is seconds or an HTTP date") {
  const base::WallTime now = *base::from_http_date("Mon, 30 Nov 2026 07:37:24 GMT");
  CHECK(parse_retry_after(" 12 ", now) == 12s);
  CHECK(parse_retry_after("Mon, 30 Nov 2026 07:37:54 GMT", now) == 30s);
  CHECK(parse_retry_after("Mon, 30 Nov 2020 07:37:54 GMT", now) == 0s);
  CHECK(parse_retry_after("99999999999999999999", now) == std::nullopt);
  CHECK(parse_retry_after("-5", now) == std::nullopt);
  CHECK(parse_retry_after("soon", now) == std::nullopt);
}

TEST_CASE("an HTML page with status 200 is refused for every kind of file (Maven stores it)") {
  for (const std::string& path : {kPom, kJar, kMetadata}) {
    const Error error = error_under("html", path);
    CHECK(error.code == ErrorCode::malformed);
    CHECK(error.message.find("HTML") != std::string::npos);
  }
}

TEST_CASE("no contents, or a part of them, is refused") {
  CHECK(error_under("empty").code == ErrorCode::malformed);
  CHECK(error_under("empty", kJar).code == ErrorCode::malformed);
  CHECK(error_under("no-content").code == ErrorCode::network);
  CHECK(error_under("partial").code == ErrorCode::network);
  CHECK(error_under("partial", kJar).code == ErrorCode::network);
}

TEST_CASE("a body shorter than its Content-Length is an error after retries") {
  for (const std::string& path : {kPom, kJar}) {
    const Error error = error_under("short", path);
    CHECK(error.code == ErrorCode::network);
  }
}

TEST_CASE("half a file with a matching length is refused, checksum or not (Maven stores it)") {
  for (const std::string& path : {kPom, kJar, kMetadata}) {
    CHECK(error_under("truncated", path).code == ErrorCode::malformed);
    CHECK(error_under("truncated", path, "*/" + path.substr(path.rfind('/') + 1)).code ==
          ErrorCode::malformed);
  }
}

TEST_CASE("a reset or refused connection, an unknown host: cannot be told") {
  CHECK(error_under("reset").code == ErrorCode::network);
  Served served;
  RepositoryConfig config = served.config();
  {
    const HttpServer gone([](const ServerRequest&, ServerConnection&) {});
    config.repositories = {gone.url()};
  }
  const auto refused = served.open(config).fetch(kPom, served.context);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::network);
  config.repositories = {"http://no-such-host.invalid/m2"};
  const auto unknown = served.open(config).fetch(kPom, served.context);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::network);
}

TEST_CASE("a host that cannot be reached is not tried for every file") {
  Served served;
  RepositoryConfig config = served.config();
  {
    const HttpServer gone([](const ServerRequest&, ServerConnection&) {});
    config.repositories = {gone.url()};
  }
  RepositorySet repositories = served.open(config);
  CHECK_FALSE(repositories.fetch(kPom, served.context));
  const auto second = repositories.fetch(kJar, served.context);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::network);
  CHECK(second.error().message.find("not tried again") != std::string::npos);
}

TEST_CASE("a server that hangs, and one that drips, end at the deadline") {
  for (const char* behaviour : {"hang", "drip"}) {
    const auto start = std::chrono::steady_clock::now();
    const Error error = error_under(behaviour, kPom, "*.pom", [](RepositoryConfig config) {
      config.http.small_file_deadline = 500ms;
      return config;
    });
    CHECK(error.code == ErrorCode::network);
    CHECK(error.message.find("given up") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - start < 30s);
  }
}

TEST_CASE("chunked and gzip-encoded files are fine, and checked after decoding") {
  for (const char* behaviour : {"chunked", "gzip"}) {
    Served served(Rules{{"*.pom", behaviour}, {"*.jar", behaviour}});
    RepositorySet repositories = served.open();
    for (const std::string& path : {kPom, kJar}) {
      const auto file = repositories.fetch(path, served.context);
      REQUIRE_MESSAGE(file, file.error().to_string());
      CHECK(file->verification == Verification::verified);
    }
  }
}

TEST_CASE("what is too large stops at the limit, decoded") {
  Served served(Rules{{"*.pom", "bomb"}});
  RepositoryConfig config = served.config();
  const auto bomb = served.open(config).fetch(kPom, served.context);
  REQUIRE_FALSE(bomb);
  CHECK(bomb.error().code == ErrorCode::limit);
  config.http.max_large_file_bytes = 1000;
  const auto large = served.open(config).fetch(kJar, served.context);
  REQUIRE_FALSE(large);
  CHECK(large.error().code == ErrorCode::limit);
  CHECK(served.files_kept() == 0);
  CHECK(error_under("endless-headers").code == ErrorCode::limit);
}

TEST_CASE("redirects are followed; circles, chains without end and odd targets are errors") {
  for (int status : {301, 302, 303, 307, 308}) {
    Served target;
    Served served(Rules{{"*", "status:" + std::to_string(status) +
                                  ":Location: " + target.server.url() + "/" + kPom}});
    INFO(status);
    const auto pom = served.open().fetch(kPom, served.context);
    // .sha1 is redirected to the POM here, which is no checksum: accepted unverified.
    REQUIRE(pom);
    CHECK(contents(pom) == pom_text());
    CHECK(pom->location == served.server.url() + "/" + kPom);
  }
  CHECK(error_under("loop").message == "the server redirects in a circle");
  CHECK(error_under("endless-redirects").message == "the server redirects more than 10 times");
  CHECK(error_under("status:302").code == ErrorCode::network);
  for (const char* target : {"file:///etc/passwd", "ftp://x/y", "gopher://x", "javascript:1"})
    CHECK(error_under(std::string("status:302:Location: ") + target).code == ErrorCode::network);
}

TEST_CASE("credentials and private headers go to their own origin only") {
  Served target;  // another port: another origin
  Served served(Rules{{"*", "redirect:" + target.server.url()}});
  RepositoryConfig config = served.config();
  config.repositories = {"http://bob:s3cr3t@127.0.0.1:" + std::to_string(served.server.port())};
  RepositorySet repositories = served.open(config);
  const auto pom = repositories.fetch(kPom, served.context);
  REQUIRE(pom);
  for (const ServerRequest& request : served.server.requests())
    CHECK(request.header("Authorization") == "Basic Ym9iOnMzY3IzdA==");
  REQUIRE_FALSE(target.server.requests().empty());
  for (const ServerRequest& request : target.server.requests())
    CHECK(request.head.find("Authorization") == std::string::npos);
  CHECK(pom->location.find("s3cr3t") == std::string::npos);
}

TEST_CASE("a checksum mismatch is an error and nothing is kept (Maven warns and stores)") {
  for (const std::string& path : {kPom, kJar}) {
    for (const char* behaviour : {"corrupt-checksum",
                                  "header:X-Checksum-SHA1: "
                                  "0000000000000000000000000000000000000000"}) {
      const std::string suffix = std::string(behaviour) == "corrupt-checksum" ? ".sha1" : "";
      const Error error = error_under(behaviour, path, "/" + path + suffix);
      CHECK(error.code == ErrorCode::checksum);
      CHECK(error.message.find("0000000000000000000000000000000000000000") != std::string::npos);
    }
  }
  CHECK(error_under("corrupt", kJar, "*.jar").code == ErrorCode::checksum);
}

TEST_CASE("without a usable checksum the file is accepted and marked") {
  for (const char* behaviour : {"status:404", "status:500", "garbage-checksum", "empty"}) {
    Served served(Rules{{"*.sha*", behaviour}, {"*.md5", behaviour}});
    INFO(behaviour);
    const auto pom = served.open().fetch(kPom, served.context);
    REQUIRE(pom);
    CHECK(pom->verification == Verification::no_checksum_published);
    // The cache remembers the mark.
    CHECK(served.open().fetch(kPom, served.context)->verification ==
          Verification::no_checksum_published);
  }
}

TEST_CASE("other checksums count where there is no .sha1") {
  for (const char* kind : {".sha256", ".sha512", ".md5"}) {
    INFO(kind);
    Served good({}, {kind});
    CHECK(good.open().fetch(kPom, good.context)->verification == Verification::verified);
    CHECK(good.open().fetch(kJar, good.context)->verification == Verification::verified);
    Served bad(Rules{{std::string("*") + kind, "corrupt-checksum"}}, {kind});
    CHECK(bad.open().fetch(kPom, bad.context).error().code == ErrorCode::checksum);
    CHECK(bad.open().fetch(kJar, bad.context).error().code == ErrorCode::checksum);
    CHECK(bad.files_kept() == 0);
  }
}

TEST_CASE("checksums in headers save the request for .sha1") {
  const std::string sha1 = base::digest(base::DigestKind::sha1, base::as_bytes(pom_text()));
  Served served(Rules{{"*.pom", "header:X-Checksum-SHA1: " + sha1}}, {});
  served.put("org/acme/thing/2.0/thing-2.0.pom", pom_text());
  RepositorySet repositories = served.open();
  CHECK(repositories.fetch(kPom, served.context)->verification == Verification::verified);
  const std::size_t before = served.server.requests().size();
  CHECK(repositories.fetch("org/acme/thing/2.0/thing-2.0.pom", served.context)->verification ==
        Verification::verified);
  CHECK(served.server.requests().size() == before + 1);
}

TEST_CASE("checksum files are read in every form that Maven reads") {
  const std::string hex = base::digest(base::DigestKind::sha1, base::as_bytes("x"));
  std::string upper = hex;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string& text :
       {hex, hex + "\n", "\n\n  " + hex + "  \n", hex + "  thing.pom", hex + "\t*thing.pom",
        "SHA1(thing.pom)= " + hex, "SHA1 (a thing.pom) = " + hex, upper}) {
    INFO(text);
    const auto parsed = parse_checksum(text, base::DigestKind::sha1);
    REQUIRE(parsed);
    CHECK(parsed->hex == hex);
  }
  for (const std::string& text :
       {std::string(), hex.substr(1), hex + "0", std::string("<html>"), std::string(40, 'g')})
    CHECK_FALSE(parse_checksum(text, base::DigestKind::sha1));
  CHECK(checksum_from_header("ETag", "\"{SHA1{" + hex + "}}\"")->hex == hex);
  CHECK(checksum_from_header("x-goog-meta-checksum-sha1", hex)->hex == hex);
  CHECK(checksum_from_header("X-Checksum-Sha256", hex) == std::nullopt);
  CHECK(checksum_from_header("ETag", "\"" + hex + "\"") == std::nullopt);
}

TEST_CASE("a batch is in flight together, and duplicates are transferred once") {
  Served served;
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i) {
    const std::string version = std::to_string(i);
    paths.push_back("org/acme/thing/" + version + "/thing-" + version + ".pom");
    if (i % 4 != 0) served.put(paths.back(), pom_text(version));
  }
  paths.push_back(paths[1]);
  paths.push_back("../escape.pom");
  const auto answers = served.open().fetch_all(paths, served.context);
  REQUIRE(answers.size() == 42);
  for (std::size_t i = 0; i < 40; ++i) {
    INFO(i);
    if (i % 4 == 0) {
      REQUIRE_FALSE(answers[i]);
      CHECK(answers[i].error().code == ErrorCode::not_found);
    } else {
      REQUIRE(answers[i]);
      CHECK(contents(answers[i]) == pom_text(std::to_string(i)));
    }
  }
  CHECK(answers[40]->path == answers[1]->path);
  CHECK(answers[41].error().code == ErrorCode::usage);
  CHECK(served.server.count("/" + paths[1]) == 1);
}

TEST_CASE("requests of a batch are on the wire together, over a bounded number of connections") {
  // Nothing is answered before eight requests stand there: one after the other would wait in vain.
  std::mutex mutex;
  std::condition_variable all_here;
  std::size_t waiting = 0, in_flight = 0, peak = 0;
  bool together = true;
  HttpServer server([&](const ServerRequest& request, ServerConnection& connection) {
    {
      std::unique_lock lock(mutex);
      ++waiting;
      peak = std::max(peak, ++in_flight);
      all_here.notify_all();
      together = all_here.wait_for(lock, 20s, [&] { return waiting >= 8; }) && together;
    }
    {
      // Before the answer is on its way: with it the client may send its next request.
      const std::lock_guard lock(mutex);
      --in_flight;
    }
    connection.send(request.path.ends_with(".pom") ? response(200, pom_text()) : response(404, ""));
  });
  const Served served;
  RepositoryConfig config = served.config();
  config.repositories = {server.url()};
  config.http.max_connections_per_host = 8;
  std::vector<std::string> paths;
  for (int i = 0; i < 30; ++i)
    paths.push_back("org/acme/a/" + std::to_string(i) + "/a-" + std::to_string(i) + ".pom");
  for (const auto& file : served.open(config).fetch_all(paths, served.context)) CHECK(file);
  CHECK(together);
  // A connection may be closed and opened again, so it is not their number over time that is
  // bounded.
  CHECK(peak == 8);
}

TEST_CASE("probing asks with HEAD, and does not believe a login page") {
  Served served;
  RepositorySet repositories = served.open();
  CHECK(repositories.probe(kJar, served.context));
  const auto missing = repositories.probe("org/acme/none/1/none-1.jar", served.context);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
  for (const ServerRequest& request : served.server.requests()) CHECK(request.method == "HEAD");
  CHECK(served.open().probe(kJar, served.context));
  CHECK(served.server.requests().size() == 2);
  // A jar that is known to exist is still fetched when its contents are wanted.
  CHECK(served.open().fetch(kJar, served.context));

  Served portal(Rules{{"*", "html"}});
  CHECK(portal.open().probe(kJar, portal.context).error().code == ErrorCode::malformed);
  CHECK(portal.open().probe(kPom, portal.context).error().code == ErrorCode::malformed);
  Served closed(Rules{{"*", "status:401"}});
  CHECK(closed.open().probe(kJar, closed.context).error().code == ErrorCode::network);
}

TEST_CASE("an interrupted run ends its transfers") {
  Served served(Rules{{"*", "hang"}});
  RepositoryConfig config = served.config();
  config.http.small_file_deadline = config.http.large_file_deadline = 60s;
  std::atomic<bool> stop{false};
  served.context.stop = &stop;
  RepositorySet repositories = served.open(config);
  std::thread interrupter([&] {
    std::this_thread::sleep_for(200ms);
    stop = true;
  });
  const auto start = std::chrono::steady_clock::now();
  for (const auto& answer : repositories.fetch_all(std::vector{kPom, kJar}, served.context)) {
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::interrupted);
  }
  CHECK(std::chrono::steady_clock::now() - start < 30s);
  interrupter.join();
  CHECK(served.files_kept() == 0);
}
