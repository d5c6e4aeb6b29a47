// Which repositories a configuration leads to, and that no secret leaves it.
#include <doctest/doctest.h>
#include <zip.h>

#include "pomcheck/central.hpp"
#include "pomcheck/http_proxy.hpp"
#include "tests/unit/repository/support.hpp"

using namespace rowgate;
using namespace rowgate::test;
using namespace rowgate::pomcheck;
namespace fs = std::filesystem;

namespace {

// A Maven home whose model builder's super POM names `url` as central.
fs::path make_maven_home(const fs::path& parent, const std::string& url) {
  const fs::path home = parent / "maven";
  fs::create_directories(home / "lib");
  const std::string pom = "<project><repositories><repository><id>central</id><url>" + url +
                          "</url></repository></repositories></project>";
  zip_t* archive = zip_open((home / "lib/maven-model-builder-3.9.99.jar").c_str(),
                            ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(archive != nullptr);
  zip_source_t* source = zip_source_buffer(archive, pom.data(), pom.size(), 0);
  REQUIRE(zip_file_add(archive, "org/apache/maven/model/pom-4.0.0.xml", source, ZIP_FL_OVERWRITE) >=
          0);
  REQUIRE(zip_close(archive) == 0);
  return home;
}

fs::path write_settings(const Served& served, const std::string& inner) {
  const fs::path file = served.dir.path() / "settings.xml";
  REQUIRE(base::write_file_atomically(file, "<settings>" + inner + "</settings>"));
  return file;
}

std::string mirror(const std::string& id, const std::string& of, const std::string& url,
                   const std::string& more = "") {
  return "<mirrors><mirror><id>" + id + "</id><mirrorOf>" + of + "</mirrorOf><url>" + url +
         "</url>" + more + "</mirror></mirrors>";
}

RepositoryConfig without_explicit(const Served& served) {
  RepositoryConfig config = served.config();
  config.repositories.clear();
  return config;
}

}  // namespace

TEST_CASE("Maven Central is where the installed Maven's super POM says") {
  Served served;
  RepositoryConfig config = without_explicit(served);
  config.maven_homes = {served.dir.path() / "nothing-here",
                        make_maven_home(served.dir.path(), served.server.url() + "/")};
  RepositorySet repositories = served.open(config);
  CHECK(repositories.id() == "central");
  const auto pom = repositories.fetch(kPom, served.context);
  REQUIRE(pom);
  CHECK(pom->repository == "central");
  // Its super POM says that it has no snapshots: not even asked.
  const std::size_t requests = served.server.requests().size();
  CHECK(repositories.fetch("org/acme/thing/2-SNAPSHOT/thing-2-SNAPSHOT.pom", served.context)
            .error()
            .code == ErrorCode::not_found);
  CHECK(served.server.requests().size() == requests);
}

TEST_CASE("with no repository at all the error says what to do") {
  Served served;
  const auto none = open_repositories(without_explicit(served), served.context);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::usage);
  for (const char* way : {"--repository", "ROWGATE_REPOSITORY", "settings.xml", "MAVEN_HOME"})
    CHECK(none.error().remedy.find(way) != std::string::npos);

  // With local folders it opens; what they lack cannot be told.
  RepositoryConfig config = without_explicit(served);
  config.maven_local = served.root;
  RepositorySet local = served.open(config);
  CHECK(local.fetch(kPom, served.context)->verification == Verification::local);
  CHECK(local.fetch("org/acme/none/1/none-1.pom", served.context).error().code == ErrorCode::usage);
}

TEST_CASE("a mirror of central goes before the super POM, an explicit repository before both") {
  Served real, mirrored;
  RepositoryConfig config = without_explicit(mirrored);
  config.maven_homes = {make_maven_home(real.dir.path(), real.server.url())};
  config.user_settings = write_settings(mirrored, mirror("corp", "central", mirrored.server.url()));
  CHECK(mirrored.open(config).fetch(kPom, mirrored.context)->repository == "corp");
  CHECK(real.server.requests().empty());
  config.maven_homes.clear();  // the mirror needs no Maven
  CHECK(mirrored.open(config).fetch(kPom, mirrored.context)->repository == "corp");
  config.repositories = {"mine=" + real.server.url()};
  CHECK(mirrored.open(config).fetch(kPom, mirrored.context)->repository == "mine");
}

TEST_CASE("a blocked mirror is an error that names repository and mirror") {
  Served served;
  RepositoryConfig config = without_explicit(served);
  config.maven_homes = {make_maven_home(served.dir.path(), "http://repo.example.org/maven2")};
  config.user_settings =
      write_settings(served, mirror("maven-default-http-blocker", "external:http:*",
                                    "http://0.0.0.0/", "<blocked>true</blocked>"));
  const auto blocked = served.open(config).fetch(kPom, served.context);
  REQUIRE_FALSE(blocked);
  CHECK(blocked.error().code == ErrorCode::network);
  CHECK(blocked.error().message ==
        "repository central (http://repo.example.org/maven2) is blocked by mirror "
        "maven-default-http-blocker of settings.xml");
}

TEST_CASE("profiles' repositories are asked before central; one URL is asked once") {
  Served extra, central;
  extra.put("org/acme/extra/1/extra-1.pom", pom_text());
  const std::string profile =
      "<profiles><profile><id>p</id><repositories>"
      "<repository><id>a</id><url>" +
      extra.server.url() +
      "</url></repository>"
      "<repository><id>b</id><url>" +
      extra.server.url() +
      "/</url></repository>"
      "</repositories></profile></profiles>"
      "<activeProfiles><activeProfile>p</activeProfile></activeProfiles>";
  RepositoryConfig config = without_explicit(central);
  config.maven_homes = {make_maven_home(central.dir.path(), central.server.url())};
  config.user_settings = write_settings(central, profile);
  RepositorySet repositories = central.open(config);
  CHECK(repositories.repositories().size() == 2);
  CHECK(repositories.fetch("org/acme/extra/1/extra-1.pom", central.context)->repository == "a");
  CHECK(repositories.fetch(kPom, central.context)->repository == "a");
  central.put("org/acme/late/1/late-1.pom", pom_text());
  CHECK(repositories.fetch("org/acme/late/1/late-1.pom", central.context)->repository == "central");
  const auto none = repositories.fetch("org/acme/none/1/none-1.pom", central.context);
  CHECK(none.error().code == ErrorCode::not_found);
  CHECK(none.error().message == "is in none of the repositories a, central");
  CHECK(repositories.fetch_from_each(kMetadata, central.context).size() == 2);
}

TEST_CASE("one repository that cannot tell is overruled by one that has the file, not by absence") {
  Served broken(Rules{{"*", "status:403"}});
  Served good;
  RepositoryConfig config = good.config();
  config.repositories = {"broken=" + broken.server.url(), "good=" + good.server.url()};
  RepositorySet repositories = good.open(config);
  CHECK(repositories.fetch(kPom, good.context)->repository == "good");
  const auto unknown = repositories.fetch("org/acme/none/1/none-1.pom", good.context);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::network);
  CHECK(unknown.error().message.find("repository broken answered HTTP 403") == 0);
  CHECK(repositories.probe("org/acme/none/1/none-1.jar", good.context).error().code ==
        ErrorCode::network);
}

TEST_CASE("no secret is found in the cache, the log, errors, ids or locations") {
  Served served(Rules{{"*/none/*", "status:401"},
                      {"*/loop/*", "loop"},
                      {"*/cut/*", "reset"},
                      {"*/signed/*", "status:302:Location: /" + kPom + "?X-Signature=S3CR3Tsig"}});
  const std::string master = vector_of("master").encrypted;
  const std::string encrypted = vector_of("server").encrypted;
  const fs::path security = served.dir.path() / "settings-security.xml";
  REQUIRE(base::write_file_atomically(
      security, "<settingsSecurity><master>" + master + "</master></settingsSecurity>"));

  RepositoryConfig config = without_explicit(served);
  config.settings_security = security;
  config.environment["TOKEN"] = "S3CR3Ttoken";
  config.user_settings = write_settings(
      served,
      mirror("corp", "*",
             "http://S3CR3Tuser:S3CR3Tpw@127.0.0.1:" + std::to_string(served.server.port())) +
          "<servers><server><id>corp</id><username>ann</username><password>" + encrypted +
          "</password><configuration><httpHeaders><property><name>X-Token</name>"
          "<value>${env.TOKEN}</value></property></httpHeaders></configuration></server>"
          "</servers>");
  std::string shown;
  RepositorySet repositories = served.open(config);
  for (const std::string& path :
       {kPom, kJar, kMetadata, std::string("a/none/1/none-1.pom"),
        std::string("a/loop/1/loop-1.pom"), std::string("a/cut/1/cut-1.pom"),
        std::string("a/signed/1/signed-1.pom"), std::string("a/absent/1/absent-1.pom")}) {
    const auto file = repositories.fetch(path, served.context);
    shown +=
        file ? file->repository + file->location + file->path.string() : file.error().to_string();
  }
  shown += repositories.id();
  // They did go out.
  const ServerRequest request = served.server.requests().front();
  CHECK(request.header("X-Token") == "S3CR3Ttoken");
  CHECK(request.header("Authorization") == "Basic UzNDUjNUdXNlcjpTM0NSM1Rwdw==");
  // Bad URLs quote no password either.
  for (const char* bad :
       {"https://u:S3CR3T@/x", "https://u:S3CR3T@h/x?y", "ftp://u:S3CR3T@h/",
        "https://u:S3CR3T@h:99999/", "http://u:S3CR3T @h/", "x=http:// S3CR3T@"}) {
    RepositoryConfig wrong = served.config();
    wrong.repositories = {bad};
    const auto opened = open_repositories(wrong, served.context);
    REQUIRE_MESSAGE(!opened, bad);
    shown += opened.error().to_string();
  }
  // The encrypted password is used where the URL has none.
  config.user_settings = write_settings(
      served, mirror("corp", "*", served.server.url()) +
                  "<servers><server><id>corp</id><username>ann</username><password>" + encrypted +
                  "</password></server></servers>");
  CHECK(served.open(config).fetch("a/new/1/new-1.pom", served.context).error().code ==
        ErrorCode::not_found);
  CHECK(served.server.requests().back().header("Authorization") ==
        "Basic YW5uOnNlcnZlcnB3");  // ann:serverpw

  for (const std::string& text : {shown, served.log.lines(), served.everything_in_cache()})
    for (const char* secret : {"S3CR3T", "serverpw", "masterpw", "UzNDUjNU"})
      CHECK_MESSAGE(text.find(secret) == std::string::npos, secret);
  CHECK(served.log.lines().find("attempt") != std::string::npos);  // the log was not just empty
}

TEST_CASE("a proxy of settings.xml carries the requests, with its own credentials") {
  std::vector<std::string> seen;
  std::mutex mutex;
  Served served;
  HttpServer proxy([&](const ServerRequest& request, ServerConnection& connection) {
    const std::lock_guard lock(mutex);
    seen.push_back(request.head);
    connection.send(request.path.ends_with(".pom") ? response(200, pom_text()) : response(404, ""));
  });
  RepositoryConfig config = served.config();
  config.repositories = {"r=http://repo.example.org/m2"};
  const auto settings_with = [&](const char* none) {
    return write_settings(
        served, "<proxies><proxy><host>127.0.0.1</host><port>" + std::to_string(proxy.port()) +
                    "</port><username>p</username><password>q</password><nonProxyHosts>" + none +
                    "</nonProxyHosts></proxy></proxies>");
  };
  config.user_settings = settings_with("localhost");
  REQUIRE(served.open(config).fetch(kPom, served.context));
  REQUIRE_FALSE(seen.empty());
  CHECK(seen[0].find("GET http://repo.example.org/m2/org/acme") == 0);
  CHECK(seen[0].find("Proxy-Authorization: Basic cDpx") != std::string::npos);

  const auto select = select_by_rules(
      {{"http", "localhost|*.Corp.example", {"p", 1, {}}}, {"https", "", {"s", 2, {}}}});
  const auto host_for = [&](const char* url) {
    const auto chosen = select(parse_repository_url(url)->url);
    return chosen ? chosen->host : std::string();
  };
  CHECK(host_for("http://a.example/") == "p");
  CHECK(host_for("https://a.example/") == "s");
  CHECK(host_for("http://x.corp.example/") == "");
  CHECK(host_for("http://LOCALHOST/") == "");
  const auto environment = select_by_environment(
      {{"https_proxy", "http://u:p@e.example:8080"}, {"NO_PROXY", ".corp.example, h"}});
  REQUIRE(environment);
  CHECK((*environment)(parse_repository_url("https://x.example/")->url)->port == 8080);
  CHECK_FALSE((*environment)(parse_repository_url("https://a.corp.example/")->url));
  CHECK_FALSE((*environment)(parse_repository_url("http://x.example/")->url));
  CHECK_FALSE(select_by_environment({{"https_proxy", "socks5://h:1"}}));
}

TEST_CASE("settings.xml can say offline, and where the local repository is") {
  Served served;
  RepositoryConfig config = served.config();
  config.user_settings = write_settings(served, "<offline>true</offline>");
  CHECK(served.open(config).fetch(kPom, served.context).error().message.find("offline") !=
        std::string::npos);
  config.user_settings =
      write_settings(served, "<localRepository>" + served.root.string() + "</localRepository>");
  config.maven_local = "/no/such/folder";
  CHECK(served.open(config).fetch(kPom, served.context)->repository == served.root.string());
}

TEST_CASE("the standard configuration finds what lies on the machine") {
  const base::TempDir dir =
      std::move(*base::TempDir::create(fs::temp_directory_path(), "rowgate-home-"));
  const fs::path home = dir.path();
  for (const char* folder : {".ivy2/cache", ".ivy2.5.2/jars", ".cache/coursier/v1",
                             ".m2/wrapper/dists/apache-maven-3.9.9-bin/abc/apache-maven-3.9.9/lib",
                             "opt/maven/bin", "bin"})
    fs::create_directories(home / folder);
  REQUIRE(base::write_file_atomically(home / "opt/maven/bin/mvn", "#!/bin/sh\n"));
  fs::create_symlink(home / "opt/maven/bin/mvn", home / "bin/mvn");
  const RepositoryConfig config = standard_repository_config(
      {{"PATH", "/nowhere:" + (home / "bin").string()},
       {"ROWGATE_REPOSITORY", "a=https://a.example/m2, https://b.example/"}},
      home, home / "c");
  CHECK(config.repositories ==
        std::vector<std::string>{"a=https://a.example/m2", "https://b.example/"});
  CHECK(config.maven_local == home / ".m2/repository");
  REQUIRE(config.local_folders.size() == 3);
  CHECK(config.local_folders[0].layout == LocalLayout::ivy_cache);
  CHECK(config.local_folders[1].folder == home / ".ivy2.5.2/jars");
  CHECK(config.local_folders[2].layout == LocalLayout::coursier);
  CHECK(config.maven_homes.front() == fs::canonical(home / "opt/maven"));
  CHECK(config.maven_homes.back() ==
        home / ".m2/wrapper/dists/apache-maven-3.9.9-bin/abc/apache-maven-3.9.9");
}
