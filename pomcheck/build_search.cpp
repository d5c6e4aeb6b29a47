// Versions whose name says the line are tried newest first. Among versions whose name says nothing,
// the newest that is not for a later line is found by bisection: connectors move from line to line
// as their versions grow. Cost: at most 6 + log2(versions) * 4 POMs.
#include "pomcheck/build_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/compatibility.hpp"
#include "pomcheck/generic_version.hpp"
#include "pomcheck/naming.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::size_t kNamedVersionsRead = 6;
// How many neighbours are read when a version's POM says nothing.
constexpr std::size_t kNeighbours = 3;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What precedes a release: where the word begins that says so ("rc1", "beta", "M5", "preview"), and
// how near to the release it is.
struct Prerelease {
  std::size_t at;
  unsigned rank;
};

std::optional<Prerelease> prerelease_of(std::string_view version) {
  const std::string lower = base::to_lower(version);
  struct Word {
    std::string_view text;
    unsigned rank;
    bool is_short;
  };
  constexpr Word kWords[] = {
      {"snapshot", 0, false}, {"nightly", 0, false}, {"dev", 0, true},
      {"alpha", 1, false},    {"beta", 2, false},    {"milestone", 3, false},
      {"m", 3, true},         {"preview", 4, false}, {"rc", 5, true},
  };
  for (const Word& word : kWords) {
    for (std::size_t at = lower.find(word.text); at != std::string::npos;
         at = lower.find(word.text, at + 1)) {
      if (!word.is_short) return Prerelease{at, word.rank};
      // Short words count between a separator or digit and a digit only.
      const std::size_t end = at + word.text.size();
      const bool starts = at > 0 && (lower[at - 1] == '-' || lower[at - 1] == '.' ||
                                     lower[at - 1] == '_' || is_digit(lower[at - 1]));
      const std::size_t digits = end < lower.size() && lower[end] == '-' ? end + 1 : end;
      if (starts && (end == lower.size() || (digits < lower.size() && is_digit(lower[digits]))))
        return Prerelease{at, word.rank};
    }
  }
  return std::nullopt;
}

// The order of advice: the resolver's, but what precedes a release comes before it. For Maven an
// unknown word such as "preview" comes after.
struct AdviceOrder {
  GenericVersion release;
  unsigned rank;
  GenericVersion whole;

  explicit AdviceOrder(const std::string& version) : AdviceOrder(version, prerelease_of(version)) {}
  friend bool operator>(const AdviceOrder& a, const AdviceOrder& b) {
    if (a.release > b.release || b.release > a.release) return a.release > b.release;
    return a.rank != b.rank ? a.rank > b.rank : a.whole > b.whole;
  }

 private:
  AdviceOrder(const std::string& version, std::optional<Prerelease> before)
      : release(before ? release_before(version, before->at) : version),
        rank(before ? before->rank : 9),
        whole(version) {}

  static std::string release_before(const std::string& version, std::size_t at) {
    while (at > 0 && !is_digit(version[at - 1])) --at;
    return version.substr(0, at);
  }
};

class Search {
 public:
  Search(ModelBuilder& builder, SiblingFact& fact, SparkMinor line, const RunContext& context)
      : builder_(builder), fact_(fact), line_(line), context_(context) {}

  void among_named(const std::vector<std::string>& versions) {
    const std::size_t count = std::min(versions.size(), kNamedVersionsRead);
    std::vector<Coordinate> candidates;
    for (std::size_t i = 0; i < count; ++i) candidates.push_back(at(versions[i]));
    // The newest is nearly always right; the others are read only when it is not.
    for (const Coordinate& candidate : candidates) {
      const BuiltAgainst built = read(candidate);
      if (built.line == line_ && take(candidate, built)) return;
    }
  }

  void among_silent(const std::vector<std::string>& versions) {
    // [begin, end): where the newest version whose line is not later than the wanted one can be.
    std::size_t begin = 0;
    std::size_t end = versions.size();
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      std::size_t looked_at = middle;
      std::optional<SparkMinor> line;
      for (; looked_at < std::min(end, middle + kNeighbours) && !line; ++looked_at)
        line = read(at(versions[looked_at])).line;
      if (!line) {
        end = middle;  // older ones say even less
        continue;
      }
      if (*line > line_)
        begin = looked_at;
      else
        end = middle;
    }
    for (std::size_t i = begin; i < std::min(versions.size(), begin + kNeighbours); ++i) {
      const Coordinate candidate = at(versions[i]);
      const BuiltAgainst built = read(candidate);
      if (built.line == line_ && take(candidate, built)) return;
      if (!built.line && built.state != PomState::absent) silent_ = versions[i];
      if (fact_.note.empty() && built.line)
        fact_.note = fmt::format("its line moves with its version: {} is for Spark {}", versions[i],
                                 built.line->to_string());
    }
  }

  // Why a repository or a POM gave no answer; empty when all did.
  std::string undecided() const {
    if (!undecided_.empty() || silent_.empty() || !fact_.note.empty()) return undecided_;
    return fmt::format("neither the POM nor the name of {} says which Spark it is for", silent_);
  }

 private:
  Coordinate at(const std::string& version) const {
    Coordinate candidate = fact_.artifact;
    candidate.version = version;
    return candidate;
  }

  BuiltAgainst read(const Coordinate& candidate) {
    BuiltAgainst built = built_against(candidate, builder_.build(candidate, context_));
    if (built.state == PomState::undecided && undecided_.empty())
      undecided_ = built.failure->to_string();
    return built;
  }

  bool take(const Coordinate& candidate, const BuiltAgainst& built) {
    // Metadata may list what is not there.
    if (built.state == PomState::absent) return false;
    fact_.artifact = candidate;
    fact_.presence = Presence::present;
    fact_.built_against = built.version ? built.version->text : built.line->to_string();
    fact_.evidence = to_string(built.kind);
    fact_.note = fmt::format("{} was built against Spark {} ({})", candidate.version,
                             fact_.built_against, fact_.evidence);
    return true;
  }

  ModelBuilder& builder_;
  SiblingFact& fact_;
  SparkMinor line_;
  const RunContext& context_;
  std::string undecided_;
  std::string silent_;  // a version that says nothing
};

}  // namespace

std::vector<std::string> newest_first(std::vector<std::string> versions, Prereleases prereleases) {
  if (prereleases == Prereleases::skip)
    std::erase_if(versions,
                  [](const std::string& version) { return prerelease_of(version).has_value(); });
  std::vector<std::pair<AdviceOrder, std::string>> parsed;
  parsed.reserve(versions.size());
  for (std::string& version : versions) {
    AdviceOrder order(version);
    parsed.emplace_back(std::move(order), std::move(version));
  }
  std::stable_sort(parsed.begin(), parsed.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> sorted;
  sorted.reserve(parsed.size());
  for (auto& [order, text] : parsed) sorted.push_back(std::move(text));
  return sorted;
}

SiblingFact find_build(ModelBuilder& builder, Coordinate artifact, SparkMinor line,
                       Prereleases prereleases, const RunContext& context) {
  SiblingFact fact;
  const MergedMetadata& known = builder.metadata(artifact.group, artifact.artifact, context);
  fact.artifact = std::move(artifact);
  fact.artifact.version.clear();
  if (known.answered.empty()) {
    fact.repositories = known.absent;
    fact.presence = known.undecided.empty() ? Presence::absent : Presence::undecided;
    fact.note = known.undecided.empty() ? fmt::format("not in {}", base::join(known.absent, ", "))
                                        : known.undecided.front().to_string();
    return fact;
  }
  fact.repositories = known.answered;
  std::vector<std::string> named;
  std::vector<std::string> silent;
  std::string newest_of_other_line;
  for (std::string& version : newest_first(known.metadata.versions, prereleases)) {
    Coordinate candidate = fact.artifact;
    candidate.version = version;
    const NameFacts name = read_name(candidate);
    if (name.line == line)
      named.push_back(std::move(version));
    else if (!name.line && name.major.value_or(line.major) == line.major)
      silent.push_back(std::move(version));
    else if (named.empty() && silent.empty() && newest_of_other_line.empty())
      newest_of_other_line =
          fmt::format("the newest version, {}, is for Spark {}", version, name.line_text());
  }
  Search search(builder, fact, line, context);
  search.among_named(named);
  if (fact.presence != Presence::present) search.among_silent(silent);
  if (fact.presence == Presence::present) return fact;
  if (!newest_of_other_line.empty()) fact.note = newest_of_other_line;

  const std::string undecided = search.undecided();
  const bool all_asked = undecided.empty() && known.undecided.empty();
  fact.presence = all_asked ? Presence::absent : Presence::undecided;
  if (!undecided.empty())
    fact.note = undecided;
  else if (!known.undecided.empty())
    fact.note = known.undecided.front().to_string();
  else if (fact.note.empty())
    fact.note = fmt::format("no version for Spark {} in {}", line.to_string(),
                            base::join(fact.repositories, ", "));
  return fact;
}

}  // namespace rowgate::pomcheck
