// Real connectors on real Sparks, by symbol: tests/linkage/truth.txt. Its expected values were
// confirmed by running Spark. Needs folders of jars, so it is skipped without them:
//
//   ROWGATE_TEST_SPARK_4_2_0=/…/jars        one for each Spark version of the file
//   ROWGATE_TEST_CONNECTORS=/…              delta-spark_2.13-4.3.1.jar and so on
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/files.hpp"
#include "base/text.hpp"
#include "jarscan/jdk_image.hpp"
#include "jarscan/link.hpp"

namespace fs = std::filesystem;
using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

struct Pair {
  std::string line;  // "delta-spark_2.13-4.3.1 + delta-storage-4.3.1 on 4.2.0 from 4.1.0"
  std::vector<std::string> connectors;  // file names without .jar
  std::string target, baseline;
  bool exact = true;  // `errors` is the whole number of root causes, not a lower bound
  std::size_t errors = 0;
  std::vector<std::pair<std::string, std::string>> expected;  // error, start of the symbol
};

std::vector<Pair> pairs;
std::map<std::string, std::shared_ptr<const ClassIndex>> sparks;

// "pair A + B on 4.2.0 from 4.1.0: 31 errors", then lines "  NoSuchMethodError p.C.m(".
void read_pairs() {
  const std::string text = base::read_file("tests/linkage/truth.txt").value();
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> words;
    for (const std::string_view word : base::split(base::trim(line), ' '))
      if (!word.empty()) words.emplace_back(word);
    if (!line.starts_with("pair ")) {
      if (words.size() != 2 || pairs.empty()) {
        fmt::print(stderr, "tests/linkage/truth.txt: cannot read: {}\n", line);
        std::exit(1);
      }
      pairs.back().expected.emplace_back(words[0], words[1]);
      continue;
    }
    Pair pair;
    pair.line = line;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (words[i] == "on")
        pair.target = words[++i];
      else if (words[i] == "from")
        pair.baseline = words[++i];
      else if (words[i + 1] == "errors") {
        pair.exact = words[i] != "some";
        pair.errors = pair.exact ? std::strtoul(words[i].c_str(), nullptr, 10) : 1;
      } else if (words[i] != "+")
        pair.connectors.push_back(words[i]);
    }
    if (pair.baseline.ends_with(':')) pair.baseline.pop_back();
    pairs.push_back(pair);
  }
}

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::string() : value;
}

std::string spark_variable(std::string version) {
  std::replace(version.begin(), version.end(), '.', '_');
  return "ROWGATE_TEST_SPARK_" + version;
}

std::shared_ptr<const ClassIndex> open_all(const std::vector<fs::path>& paths) {
  std::vector<ClassPathJar> jars;
  for (const fs::path& path : paths) jars.push_back({JarFile::open(path).value(), {}});
  RunContext context = RunContext::quiet();
  context.jobs = 2;
  return std::make_shared<ClassIndex>(ClassIndex::build(std::move(jars), {}, context));
}

LinkTarget spark(const std::string& version) {
  auto& index = sparks[version];
  if (index == nullptr)
    index = open_all(base::list_files(environment(spark_variable(version)), ".jar").value());
  return {version, std::make_shared<JarSource>(index)};
}

LinkResult check(const Pair& pair) {
  std::vector<fs::path> connectors;
  for (const std::string& name : pair.connectors)
    connectors.push_back(fs::path(environment("ROWGATE_TEST_CONNECTORS")) / (name + ".jar"));
  RunContext context = RunContext::quiet();
  context.jobs = 2;
  LinkRequest request;
  request.unit = read_link_unit(open_all(connectors), context);
  request.targets = {spark(pair.target)};
  request.baseline = spark(pair.baseline);
  const std::vector<fs::path> candidates = {environment("JAVA_HOME"),
                                            "/usr/lib/jvm/java-17-openjdk-amd64"};
  if (const auto home = find_jdk(candidates)) request.options.jdk = JdkImage::open(*home).value();
  return check_link(request, context).at(0);
}

}  // namespace

TEST_CASE("real connectors break where Spark said they break, and nowhere else") {
  for (const Pair& pair : pairs) {
    const LinkResult result = check(pair);
    std::string text;
    for (const LinkCause& cause : result.causes)
      if (cause.severity != base::Severity::note)
        text += fmt::format("\n  {} {} {}", base::to_string(cause.severity),
                            jvm_error(cause.problem), cause.symbol);
    INFO(pair.line, text);
    if (pair.exact)
      CHECK(result.count(base::Severity::error) == pair.errors);
    else
      CHECK(result.count(base::Severity::error) >= pair.errors);
    if (pair.errors == 0) CHECK(result.count(base::Severity::warning) == 0);
    CHECK(result.verdict == (pair.errors == 0 ? LinkVerdict::works : LinkVerdict::breaks));
    for (const auto& expected : pair.expected) {
      const auto& error = expected.first;
      const auto& symbol = expected.second;
      const bool found = std::any_of(
          result.causes.begin(), result.causes.end(),
          [&, &e = error, &s = symbol](const LinkCause& c) {
            if (c.severity != base::Severity::error || e != jvm_error(c.problem)) return false;
            return c.symbol.starts_with(s) ||
                   std::find(c.unloadable.begin(), c.unloadable.end(), s) != c.unloadable.end();
          });
      CHECK_MESSAGE(found, error, " ", symbol);
    }
  }
}

int main(int argc, char** argv) {
  read_pairs();
  std::vector<std::string> missing;
  const auto needs = [&](const std::string& name) {
    if (environment(name).empty()) missing.push_back(name);
  };
  needs("ROWGATE_TEST_CONNECTORS");
  for (const Pair& pair : pairs) {
    needs(spark_variable(pair.target));
    needs(spark_variable(pair.baseline));
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (!missing.empty()) {
    fmt::print("skipped: these variables name no folders of jars: {}\n", base::join(missing, ", "));
    return 77;
  }
  doctest::Context context;
  context.applyCommandLine(argc, argv);
  return context.run();
}
