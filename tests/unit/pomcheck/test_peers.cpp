// The published test cases of maven-resolver and deps.dev (data/peers/README.md). Where Maven does
// otherwise than a peer expects, the row says what Maven does and why, and Maven's answer counts;
// test_peers_against_maven.cpp shows that it is Maven's. A deviation that is none is an error too.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/text.hpp"
#include "peer_cases.hpp"
#include "pomcheck/generic_version.hpp"
#include "pomcheck/interpolation.hpp"
#include "pomcheck/maven_version.hpp"
#include "pomcheck/profile.hpp"
#include "pomcheck/resolution.hpp"
#include "pomcheck/version_range.hpp"
#include "tsv.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;
using tests::PeerCase;
using tests::PeerExpectation;

namespace {

const RunContext kContext = RunContext::quiet();

std::string data(const std::string& file) {
  return "tests/unit/pomcheck/data/peers/" + file;
}

// A row's last columns: what the peer expects, what Maven does where it differs, and why.
void check_answer(const std::string& own, const std::vector<std::string>& row, std::size_t peer) {
  const bool deviates = row.size() > peer + 1 && !row[peer + 1].empty();
  CHECK(own == row[deviates ? peer + 1 : peer]);
  if (!deviates) return;
  CHECK(row[peer] != row[peer + 1]);
  CHECK(!row.at(peer + 2).empty());
}

template <class Version>
std::string sign(std::string_view a, std::string_view b) {
  const auto order = Version(a) <=> Version(b);
  return order < 0 ? "<" : order > 0 ? ">" : "=";
}

// --- graphs ------------------------------------------------------------------------------------

struct Facts {
  std::string kind;  // "omitted", "solvable", …; empty: the facts are about a node
  std::string path;  // "." or artifacts from the root on, "group:artifact#classifier@type"
  std::map<std::string, std::string> values;
};

Facts parse_facts(const std::string& text) {
  Facts facts;
  for (const std::string& word : tests::words_of(text)) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos)
      facts.values[word.substr(0, equals)] = word.substr(equals + 1);
    else if (word == "omitted" || word == "solvable" || word == "unsolvable" || word == "absent" ||
             word == "error")
      facts.kind = word;
    else
      facts.path = word;
  }
  return facts;
}

bool is_called(const Coordinate& artifact, std::string name, const std::string& prefix) {
  const auto cut = [&name](char mark) {
    const std::size_t at = name.find(mark);
    if (at == std::string::npos) return std::string();
    const std::string rest = name.substr(at + 1);
    name.resize(at);
    return rest;
  };
  const std::string type = cut('@');
  const std::string classifier = cut('#');
  if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
    if (artifact.group != prefix + name.substr(0, colon)) return false;
    name.erase(0, colon + 1);
  }
  return artifact.artifact == name && artifact.file_classifier() == classifier &&
         artifact.type == (type.empty() ? "jar" : type);
}

const ResolvedNode* find_node(const Resolution& graph, const std::string& path,
                              const std::string& prefix) {
  const ResolvedNode* node = &graph.nodes.front();
  if (node->artifact.group == "rowgate") node = &graph.nodes[node->children.at(0)];
  if (path == ".") return node;
  for (const std::string_view name : base::split(path, '/')) {
    const auto child =
        std::find_if(node->children.begin(), node->children.end(), [&](std::size_t i) {
          return is_called(graph.nodes[i].artifact, std::string(name), prefix);
        });
    if (child == node->children.end()) return nullptr;
    node = &graph.nodes[*child];
  }
  return node;
}

std::string value_of(const ResolvedNode& node, const std::string& key) {
  if (key == "version") return node.artifact.version;
  if (key == "scope") return node.scope;
  if (key == "optional") return node.optional ? "yes" : "no";
  if (key == "children") return std::to_string(node.children.size());
  return "what is " + key + "?";
}

// Of a range, the version that it was taken for.
std::string version_of(const Resolution& graph, const OmittedDependency& omitted) {
  return omitted.reason == Omission::duplicate ? graph.nodes[omitted.winner].artifact.version
                                               : omitted.artifact.version;
}

// "" when the facts are true of the graph, else what is not.
std::string mismatch(const Resolution& graph, const Facts& facts, const std::string& prefix) {
  if (facts.kind == "solvable") return graph.problems.empty() ? "" : "has problems";
  if (facts.kind == "unsolvable") return graph.problems.empty() ? "has no problems" : "";
  if (facts.kind == "omitted") {
    const std::size_t slash = facts.path.rfind('/');
    const ResolvedNode* parent = find_node(graph, facts.path.substr(0, slash), prefix);
    if (parent == nullptr) return "the parent is not in the graph";
    for (const OmittedDependency& omitted : graph.omitted)
      if (&graph.nodes[omitted.parent] == parent &&
          is_called(omitted.artifact, facts.path.substr(slash + 1), prefix) &&
          version_of(graph, omitted) == facts.values.at("version"))
        return "";
    return "not among what was left out";
  }
  const ResolvedNode* node = find_node(graph, facts.path, prefix);
  if (facts.kind == "error")
    return (node == nullptr || node->pom_problem) && !graph.complete() ? "" : "no error there";
  if (node == nullptr) return "not in the graph";
  for (const auto& [key, value] : facts.values)
    if (const std::string own = value_of(*node, key); own != value)
      return key + " is " + own + ", not " + value;
  return "";
}

std::string mismatch(const Result<Resolution>& graph, const std::string& facts,
                     const std::string& prefix) {
  const Facts parsed = parse_facts(facts);
  if (parsed.kind == "absent")
    return !graph && graph.error().code == ErrorCode::not_found ? "" : "not absent";
  return graph ? mismatch(*graph, parsed, prefix) : graph.error().to_string();
}

Result<Resolution> resolve_root(ModelBuilder& builder, const PeerCase& peer) {
  const Coordinate coordinate = parse_coordinate(peer.root).value();
  if (!peer.no_project.empty())
    return resolve_dependencies(builder, std::vector{coordinate}, kContext);
  ROWGATE_TRY(const PomPtr root, builder.build(coordinate, kContext));
  return resolve_project(builder, root, kContext);
}

void check_graphs(const std::string& file, std::size_t expected_cases) {
  tests::PomFolder folder;
  const tests::PeerCases cases(data(file), "c", folder);
  RepositorySet repositories = folder.open();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  CHECK(cases.cases().size() == expected_cases);
  for (const PeerCase& peer : cases.cases()) {
    const Result<Resolution> graph = resolve_root(builder, peer);
    REQUIRE(!peer.expectations.empty());
    for (const PeerExpectation& expected : peer.expectations) {
      INFO(peer.name, ": ", expected.peer);
      const std::string off = mismatch(graph, expected.peer, peer.prefix);
      if (expected.maven.empty()) {
        CHECK(off == "");
        continue;
      }
      CHECK(off != "");
      CHECK(expected.why != "");
      for (const std::string& maven : expected.maven)
        CHECK(mismatch(graph, maven, peer.prefix) == "");
    }
  }
}

// --- models ------------------------------------------------------------------------------------

// The notation of the expectations, without the case's prefix.
std::string show(const char* kind, const PomDependency& d, const std::string& prefix) {
  const auto plain = [&prefix](const std::string& group) {
    return group.starts_with(prefix) ? group.substr(prefix.size()) : group;
  };
  std::string text =
      std::string(kind) + " " + plain(d.group) + ":" + d.artifact + ":" + d.version.text;
  if (d.scope.text != "compile" && !d.scope.text.empty()) text += " scope=" + d.scope.text;
  if (d.is_optional()) text += " optional";
  std::vector<std::string> exclusions;
  for (const Exclusion& e : d.exclusions) exclusions.push_back(plain(e.group) + ":" + e.artifact);
  if (!exclusions.empty()) text += " exclude=" + base::join(exclusions, ",");
  return text;
}

}  // namespace

TEST_CASE("the peers' version orders") {
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv(data("versions.tsv"))) {
    INFO(row[0], ": ", row[2], " ", row[3], " ", row[4]);
    const std::string own = row[1] == "maven" ? sign<MavenVersion>(row[2], row[4])
                                              : sign<GenericVersion>(row[2], row[4]);
    check_answer(own, {row[3], row[5], row[6]}, 0);
    ++rows;
  }
  CHECK(rows == 1233);
}

TEST_CASE("deps.dev's canonical versions") {
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv(data("canonical.tsv"))) {
    INFO(row[0], ": ", row[1]);
    check_answer(MavenVersion(row[1]).canonical(), row, 2);
    ++rows;
  }
  CHECK(rows == 37);
}

TEST_CASE("the peers' version ranges") {
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv(data("ranges.tsv"))) {
    INFO(row[0], ": ", row[1], " ", row[2]);
    std::string own = "error";
    if (const auto constraint = VersionConstraint::parse(row[1])) {
      own = constraint->contains(GenericVersion(row[2])) ? "yes" : "no";
      if (!constraint->is_range()) own += " soft";
    }
    check_answer(own, row, 3);
    ++rows;
  }
  CHECK(rows == 91);
}

TEST_CASE("maven-resolver's graphs") {
  check_graphs("resolver_graphs.txt", 96);
}

TEST_CASE("deps.dev's graphs") {
  check_graphs("deps_dev_graphs.txt", 37);
}

TEST_CASE("deps.dev's models") {
  tests::PomFolder folder;
  const tests::PeerCases cases(data("deps_dev_models.txt"), "m", folder);
  RepositorySet repositories = folder.open();
  ModelEnvironment environment = pinned_environment("11.0.8", "linux").value();
  environment.os_version = "5.10.0-26-cloud-amd64";
  ModelBuilder builder(repositories, environment);
  CHECK(cases.cases().size() == 7);
  for (const PeerCase& peer : cases.cases()) {
    INFO(peer.name);
    const PomPtr pom = builder.build(parse_coordinate(peer.root).value(), kContext).value();
    CHECK(pom->valid());
    std::vector<std::string> expected, maven, own;
    bool shows_managed = false;
    for (const PeerExpectation& one : peer.expectations) {
      expected.push_back(one.peer);
      maven.insert(maven.end(), one.maven.begin(), one.maven.end());
      if (!one.maven.empty()) CHECK(one.why != "");
      if (one.peer.starts_with("M ")) shows_managed = true;
    }
    for (const PomDependency& d : pom->dependencies) own.push_back(show("D", d, peer.prefix));
    if (shows_managed)
      for (const PomDependency& d : pom->managed) own.push_back(show("M", d, peer.prefix));
    CHECK(base::join(own, "\n") == base::join(maven.empty() ? expected : maven, "\n"));
    CHECK(expected != maven);
  }
}

TEST_CASE("deps.dev's profile activations") {
  ModelEnvironment environment = pinned_environment("11.0.8", "linux").value();
  environment.os_version = "5.10.0-26-cloud-amd64";
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv(data("profiles.tsv"))) {
    INFO(row[0]);
    const auto pom = parse_pom(
                         "<project><modelVersion>4.0.0</modelVersion><artifactId>a</"
                         "artifactId><profiles><profile>"
                         "<activation>" +
                             row[0] + "</activation></profile></profiles></project>",
                         "peer")
                         .value();
    std::vector<std::string> problems;
    const auto active = active_profiles(pom.profiles, environment, pom.part.properties, problems);
    check_answer(active.empty() ? "no" : "yes", row, 1);
    CHECK(problems.empty());
    ++rows;
  }
  CHECK(rows == 22);
}

TEST_CASE("deps.dev's interpolations") {
  std::map<std::string, std::string> dictionary;
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv(data("interpolation.tsv"))) {
    if (row[0].starts_with("set ")) {
      dictionary[row[0].substr(4)] = row[1];
      continue;
    }
    INFO(row[0]);
    Interpolator interpolator([&](std::string_view name) -> std::optional<std::string> {
      const auto found = dictionary.find(std::string(name));
      if (found == dictionary.end()) return std::nullopt;
      return found->second;
    });
    check_answer(interpolator.interpolate(row[0]).value_or("error"), row, 1);
    ++rows;
  }
  CHECK(rows == 16);
}
