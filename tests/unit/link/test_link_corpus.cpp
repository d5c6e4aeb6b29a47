// The generated corpus: what the library predicts against what HotSpot did
// (tests/linkage/expected.tsv).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "link_test.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

struct Expected {
  std::string outcome, message;
};
// case -> side -> probe
using Truth = std::map<std::string, std::map<std::string, std::map<std::string, Expected>>>;

Truth read_truth() {
  Truth truth;
  const std::string text = base::read_file("tests/linkage/expected.tsv").value();
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto cells = base::split(line, '\t');
    REQUIRE(cells.size() == 5);
    truth[std::string(cells[0])][std::string(cells[1])][std::string(cells[2])] = {
        std::string(cells[3]), std::string(cells[4])};
  }
  return truth;
}

bool is_linkage_error(std::string_view outcome) {
  return outcome != "OK" && outcome != "NullPointerException" && outcome != "ClassCastException";
}

// JVMs before 18 or so throw AbstractMethodError where two default methods compete.
bool agrees(const LinkCause& cause, std::string_view outcome) {
  const std::size_t dot = outcome.rfind('.');
  if (dot != std::string_view::npos) outcome.remove_prefix(dot + 1);
  return outcome == jvm_error(cause.problem) ||
         (cause.problem == LinkProblem::conflicting_defaults && outcome == "AbstractMethodError");
}

LoadingOrder order_of(const std::filesystem::path& folder) {
  const std::string text = base::read_file(folder / "loaders").value();
  if (text == "one") return LoadingOrder::one_loader;
  return text == "child-first" ? LoadingOrder::child_first : LoadingOrder::parent_first;
}

LinkResult check(const std::filesystem::path& folder, const std::string& side, bool differential) {
  LinkRequest request;
  request.unit = read_link_unit(link_test::open_jars({folder / "client.jar"}), RunContext::quiet());
  const auto target = [&](const std::string& name) {
    return LinkTarget{
        name, std::make_shared<JarSource>(link_test::open_jars({folder / (name + ".jar")}))};
  };
  request.targets = {target(side)};
  if (differential) request.baseline = target("old");
  request.options.jdk = link_test::jdk();
  request.options.order = order_of(folder);
  request.options.entry_classes = {"c.Main"};
  const auto results = check_link(request, RunContext::quiet());
  return results.at(0);
}

std::string summary(const LinkResult& result) {
  std::string text;
  for (const LinkCause& cause : result.causes)
    text += fmt::format("\n  {} {} {} ({})", base::to_string(cause.severity),
                        jvm_error(cause.problem), cause.symbol, cause.message);
  return text;
}

// Whether some part of the symbol stands in HotSpot's message.
bool named_in(const LinkCause& cause, std::string_view message) {
  std::string symbol = cause.symbol;
  for (char& c : symbol)
    if (c == '/' || c == '(' || c == ':' || c == ' ') c = '.';
  for (const std::string_view piece : base::split(symbol, '.'))
    if (piece.size() > 0 && piece != "p" && piece != "c" && piece != "V" && piece != ")V" &&
        message.find(piece) != std::string_view::npos)
      return true;
  return false;
}

void compare(const std::string& side, const std::map<std::string, Expected>& probes,
             const LinkResult& result) {
  std::set<std::string> failing;  // outcomes of the classes that cannot be linked
  for (const auto& entry : probes) {
    const std::string& probe = entry.first;
    const Expected& expected = entry.second;
    if (probe == "main") continue;
    const std::string name = probe.substr(5);
    CAPTURE(probe);
    bool predicted = false;
    for (const LinkCause& cause : result.causes)
      for (const LinkUse& use : cause.uses) {
        const bool whole = use.kind == BreakPlace::loading || use.kind == BreakPlace::linking;
        if (!whole || use.place != name) continue;
        predicted = predicted || agrees(cause, expected.outcome);
        CHECK_MESSAGE(is_linkage_error(expected.outcome), side, ": ", name, " does link",
                      summary(result));
      }
    if (!is_linkage_error(expected.outcome)) continue;
    CHECK_MESSAGE(predicted, side, ": ", name, ": HotSpot throws ", expected.outcome,
                  summary(result));
    failing.insert(expected.outcome);
  }
  const Expected& main = probes.at("main");
  const bool breaks = is_linkage_error(main.outcome);
  bool predicted = false;
  for (const LinkCause& cause : result.causes) {
    if (cause.severity == base::Severity::note) continue;
    predicted = predicted || (agrees(cause, main.outcome) &&
                              (main.outcome == "VerifyError" || named_in(cause, main.message)));
    bool explained = breaks && agrees(cause, main.outcome);
    for (const std::string& outcome : failing) explained = explained || agrees(cause, outcome);
    CHECK_MESSAGE(explained, side, ": a false alarm: HotSpot says ", main.outcome, summary(result));
  }
  if (breaks)
    CHECK_MESSAGE(predicted, side, ": HotSpot throws ", main.outcome, ": ", main.message,
                  summary(result));
}

}  // namespace

TEST_CASE("every case of the corpus ends as HotSpot ended it") {
  const Truth truth = read_truth();
  REQUIRE(truth.size() >= 80);
  for (const auto& entry : truth) {
    const auto& name = entry.first;
    const auto& sides = entry.second;
    CAPTURE(name);
    const auto folder = link_test::corpus_folder() / name;
    for (const auto& [side, probes] : sides) compare(side, probes, check(folder, side, false));
  }
}

TEST_CASE("with the old library as baseline only what is new is an error") {
  const Truth all = read_truth();
  for (const auto& entry : all) {
    const auto& name = entry.first;
    const auto& sides = entry.second;
    CAPTURE(name);
    const auto folder = link_test::corpus_folder() / name;
    // The library against itself: whatever breaks is broken on the baseline too.
    const LinkResult same = check(folder, "old", true);
    CHECK_MESSAGE(same.count(base::Severity::error) == 0, summary(same));
    bool old_works = true;
    for (const auto& [probe, expected] : sides.at("old"))
      old_works = old_works && !is_linkage_error(expected.outcome);
    if (!old_works) continue;
    const LinkResult plain = check(folder, "new", false), compared = check(folder, "new", true);
    CHECK_MESSAGE(plain.count(base::Severity::error) == compared.count(base::Severity::error),
                  summary(plain), "\ncompared", summary(compared));
  }
}
