#include <doctest/doctest.h>

#include "base/text.hpp"
#include "pomcheck/mirror.hpp"
#include "pomcheck/password.hpp"
#include "pomcheck/settings.hpp"
#include "tests/unit/repository/support.hpp"

using namespace rowgate;
using namespace rowgate::test;
using namespace rowgate::pomcheck;

namespace {

const std::string kData = "tests/unit/repository/data/";

Result<Settings> parse(const std::string& inner, const SettingsVariables& variables = {}) {
  return parse_settings(
      "<settings xmlns=\"http://maven.apache.org/SETTINGS/1.2.0\">" + inner + "</settings>",
      "settings.xml", variables);
}

}  // namespace

TEST_CASE("mirrorOf matches as Maven's resolver does, on every measured pattern") {
  const std::string text = base::read_file(kData + "mirror_vectors.tsv").value();
  std::size_t rows = 0;
  for (std::string_view line : base::split(text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto cells = base::split(line, '\t');
    REQUIRE(cells.size() == 4);
    ++rows;
    INFO(line);
    CHECK(mirror_matches(cells[0], cells[1], parse_repository_url(cells[2])->url) ==
          (cells[3] == "true"));
  }
  CHECK(rows == 98);
}

TEST_CASE("an exact mirrorOf goes before a pattern, then the first one counts") {
  const auto settings = parse(
      "<mirrors><mirror><id>all</id><mirrorOf>*</mirrorOf><url>http://a/</url></mirror>"
      "<mirror><id>c</id><mirrorOf>central</mirrorOf><url>http://c/</url></mirror>"
      "<mirror><id>p2</id><mirrorOf>*</mirrorOf><mirrorOfLayouts>p2</mirrorOfLayouts></mirror>"
      "</mirrors>");
  REQUIRE(settings);
  const Url url = parse_repository_url("https://central.example/maven2")->url;
  CHECK(find_mirror(settings->mirrors, "central", url)->id == "c");
  CHECK(find_mirror(settings->mirrors, "other", url)->id == "all");
  CHECK(find_mirror({settings->mirrors[2]}, "central", url) == nullptr);
}

TEST_CASE("every part of settings.xml is read, with ${…} replaced") {
  const SettingsVariables variables{{{"TOKEN", "t0ken"}}, {{"user.home", "/home/ann"}}};
  const auto settings = parse(
      "<localRepository>${user.home}/m2</localRepository><offline> TRUE </offline>"
      "<servers><server><id>corp</id><username>ann</username><password>${env.TOKEN}</password>"
      "<configuration><httpHeaders>"
      "<property><name>Private-Token</name><value><!-- x -->${env.TOKEN}</value></property>"
      "<property><name>Bad: Name</name><value>x</value></property>"
      "<property><name>Inject</name><value>a&#13;&#10;Host: b</value></property>"
      "</httpHeaders></configuration></server></servers>"
      "<proxies><proxy><id>p</id><protocol>HTTPS</protocol><host>proxy.example</host>"
      "<port>3128</port><nonProxyHosts>localhost|*.corp.example</nonProxyHosts></proxy>"
      "<proxy><id>off</id><active>false</active><host>h</host></proxy></proxies>"
      "<profiles><profile><id>extra</id><repositories><repository><id>r</id>"
      "<url>https://r.example/${env.UNSET}</url><snapshots><enabled>false</enabled></snapshots>"
      "</repository></repositories></profile></profiles>"
      "<activeProfiles><activeProfile>extra</activeProfile></activeProfiles>"
      "<unknown><deep/></unknown>",
      variables);
  REQUIRE(settings);
  CHECK(settings->local_repository == std::filesystem::path("/home/ann/m2"));
  CHECK(settings->offline == true);
  const SettingsServer* server = settings->server("corp");
  REQUIRE(server != nullptr);
  CHECK(server->password == "t0ken");
  REQUIRE(server->headers.size() == 1);
  CHECK(server->headers[0].value == "t0ken");
  CHECK(settings->proxies[0].protocol == "https");
  CHECK(settings->proxies[0].port == 3128);
  CHECK_FALSE(settings->proxies[1].active);
  const auto repositories = settings->active_repositories();
  REQUIRE(repositories.size() == 1);
  CHECK(repositories[0].url == "https://r.example/${env.UNSET}");
  CHECK(repositories[0].releases);
  CHECK_FALSE(repositories[0].snapshots);
}

TEST_CASE("profiles are active when listed, when their property is set, or by default alone") {
  const std::string profiles =
      "<profiles>"
      "<profile><id>default</id><activation><activeByDefault>true</activeByDefault></activation>"
      "<repositories><repository><id>d</id></repository></repositories></profile>"
      "<profile><id>ci</id><activation><property><name>env.CI</name></property></activation>"
      "<repositories><repository><id>c</id></repository></repositories></profile>"
      "<profile><id>dev</id><activation><property><name>!env.CI</name></property></activation>"
      "<repositories><repository><id>v</id></repository></repositories></profile>"
      "<profile><id>jdk</id><activation><jdk>17</jdk></activation>"
      "<repositories><repository><id>j</id></repository></repositories></profile></profiles>";
  const auto ids = [](const Result<Settings>& settings) {
    std::string all;
    for (const SettingsRepository& one : settings->active_repositories()) all += one.id;
    return all;
  };
  CHECK(ids(parse(profiles, {{{"CI", "true"}}, {}})) == "c");
  CHECK(ids(parse(profiles)) == "v");
  CHECK(ids(parse(profiles +
                  "<activeProfiles><activeProfile>jdk</activeProfile></activeProfiles>")) == "jv");
  std::string without_dev = profiles;
  without_dev.replace(without_dev.find("!env.CI"), 7, "env.NONE");
  CHECK(ids(parse(without_dev)) == "d");
}

TEST_CASE("the user's settings win, and lists are joined by id") {
  auto user = parse(
      "<offline>false</offline><mirrors><mirror><id>m</id><url>http://u/</url></mirror></mirrors>");
  auto global = parse(
      "<offline>true</offline><localRepository>/srv/m2</localRepository><mirrors><mirror><id>m</id>"
      "<url>http://g/</url></mirror><mirror><id>n</id><url>http://n/</url></mirror></mirrors>");
  const Settings merged = merge_settings(std::move(*user), std::move(*global));
  CHECK(merged.offline == false);
  CHECK(merged.local_repository == std::filesystem::path("/srv/m2"));
  REQUIRE(merged.mirrors.size() == 2);
  CHECK(merged.mirrors[0].url == "http://u/");
  CHECK(merged.mirrors[1].id == "n");
}

TEST_CASE("damaged settings are errors with their place; missing ones are empty") {
  const auto cut = parse_settings("<settings><mirrors>", "/x/settings.xml", {});
  REQUIRE_FALSE(cut);
  CHECK(cut.error().code == ErrorCode::malformed);
  CHECK(cut.error().subject == "/x/settings.xml");
  CHECK(cut.error().offset.has_value());
  CHECK(parse_settings("<project/>", "s", {}).error().message == "has no <settings> element");
  CHECK_FALSE(parse("<proxies><proxy><port>99999</port></proxy></proxies>"));
  CHECK(parse_settings(std::string(std::size_t{5} << 20, ' '), "s", {}).error().code ==
        ErrorCode::limit);
  CHECK(read_settings("/no/such/settings.xml", {}));
  // An entity bomb: entities are not expanded, so there is nothing to explode.
  CHECK(parse_settings("<!DOCTYPE settings [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
                       "<settings><localRepository>&b;</localRepository></settings>",
                       "s", {})
            ->local_repository == std::filesystem::path("&b;"));
}

TEST_CASE("passwords that Maven encrypted are decrypted") {
  const PasswordVector master = vector_of("master"), server = vector_of("server");
  CHECK(is_encrypted(master.encrypted));
  CHECK(decrypt_password(master.encrypted, "settings.security") == master.plain);
  CHECK(decrypt_password(server.encrypted, master.plain) == server.plain);
  CHECK(decrypt_password("expires in May " + server.encrypted + " !", master.plain) ==
        server.plain);
  CHECK_FALSE(is_encrypted("plain"));
  CHECK_FALSE(is_encrypted("\\{not encrypted\\}"));
}

TEST_CASE("what cannot be decrypted is an error that quotes nothing") {
  const PasswordVector master = vector_of("master"), server = vector_of("server");
  std::string damaged = server.encrypted;
  damaged[20] = damaged[20] == 'A' ? 'B' : 'A';
  for (const std::string& text :
       {std::string("{}"), std::string("{!!!!}"), std::string("{AAAA}"),
        server.encrypted.substr(0, 21) + "}", std::string("{[name=master]abc}")}) {
    const auto plain = decrypt_password(text, master.plain);
    INFO(text);
    REQUIRE_FALSE(plain);
    CHECK(plain.error().to_string().find(text) == std::string::npos);
  }
  CHECK(decrypt_password(server.encrypted, "wrong") != server.plain);
  CHECK(decrypt_password(damaged, master.plain) != server.plain);
}

TEST_CASE("the master password is read, through a relocation and not in circles") {
  const base::TempDir dir =
      std::move(*base::TempDir::create(std::filesystem::temp_directory_path(), "rowgate-master-"));
  const PasswordVector master = vector_of("master");
  const auto file = [&](const char* name, const std::string& inner) {
    const auto path = dir.path() / name;
    REQUIRE(
        base::write_file_atomically(path, "<settingsSecurity>" + inner + "</settingsSecurity>"));
    return path;
  };
  const auto real = file("real.xml", "<master>" + master.encrypted + "</master>");
  const auto moved = file("moved.xml", "<relocation>${home}/real.xml</relocation>");
  const auto circle = file("circle.xml", "<relocation>${home}/circle.xml</relocation>");
  const SettingsVariables variables{{}, {{"home", dir.path().string()}}};
  CHECK(read_master_password(real, variables) == master.plain);
  CHECK(read_master_password(moved, variables) == master.plain);
  CHECK(read_master_password(circle, variables).error().message == "relocates in a circle");
  CHECK(read_master_password(dir.path() / "none.xml", variables).error().code == ErrorCode::usage);
  CHECK(read_master_password(file("empty.xml", ""), variables).error().code == ErrorCode::usage);
}
