#include "jarscan/link_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/checks.hpp"
#include "base/text.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::size_t kNamesShown = 10;

void show_names(const std::vector<std::string>& names, base::Finding& finding) {
  for (std::size_t i = 0; i < names.size() && i < kNamesShown; ++i)
    finding.evidence.push_back(names[i]);
  if (names.size() > kNamesShown)
    finding.evidence.push_back(fmt::format("and {} more", names.size() - kNamesShown));
}

std::string jar_name(const LinkUnit& unit, std::uint32_t jar) {
  return unit.index->jar(jar).name();
}

void add_shadowed(const LinkUnit& unit, const Judgement& judgement, const std::string& target,
                  std::vector<base::Finding>& out) {
  std::map<std::uint32_t, std::vector<std::string>> by_jar;
  for (std::size_t i = 0; i < unit.classes.size(); ++i)
    if (judgement.shadowed[i])
      by_jar[unit.classes[i].location.jar].push_back(dotted(unit.classes[i].decl->name));
  for (const auto& [jar, names] : by_jar) {
    base::Finding finding = base::make_finding(
        "RG1301", jar_name(unit, jar),
        fmt::format("{} of its classes are never used: Spark {} or the JDK has classes of the same "
                    "names, which are loaded first",
                    base::with_thousands(names.size()), target));
    finding.symbol = names.front();
    show_names(names, finding);
    out.push_back(std::move(finding));
  }
}

void add_duplicates(const LinkUnit& unit, std::vector<base::Finding>& out) {
  struct Pair {
    std::vector<std::string> different, same;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pair> pairs;
  for (const auto& [name, location] : unit.index->classes()) {
    const std::vector<ClassLocation> places = unit.index->find_all(name);
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i].jar == places[0].jar) continue;
      const JarEntry& first = unit.index->entry(places[0]);
      const JarEntry& other = unit.index->entry(places[i]);
      Pair& pair = pairs[{places[0].jar, places[i].jar}];
      const bool same = first.crc32 == other.crc32 && first.size_bytes == other.size_bytes;
      (same ? pair.same : pair.different).push_back(dotted(name));
    }
  }
  for (const auto& [jars, pair] : pairs) {
    const bool differs = !pair.different.empty();
    const std::vector<std::string>& names = differs ? pair.different : pair.same;
    base::Finding finding = base::make_finding(
        "RG1302", jar_name(unit, jars.second),
        fmt::format("{} class{} in {} too{}", base::with_thousands(names.size()),
                    names.size() == 1 ? " is" : "es are", jar_name(unit, jars.first),
                    differs ? ", with other contents: the first jar's are used for both"
                            : ", with the same contents"));
    if (!differs) finding.severity = base::Severity::note;
    finding.symbol = names.front();
    show_names(names, finding);
    out.push_back(std::move(finding));
  }
}

void add_class_file_levels(const LinkUnit& unit, const Judgement& judgement,
                           const LinkOptions& options, std::vector<base::Finding>& out) {
  const unsigned highest = options.java_release + 44;
  std::map<std::uint32_t, std::pair<unsigned, std::vector<std::string>>> by_jar;
  for (std::size_t i = 0; i < unit.classes.size(); ++i) {
    const UnitClass& type = unit.classes[i];
    if (judgement.shadowed[i] || type.decl->major <= highest) continue;
    auto& [major, names] = by_jar[type.location.jar];
    major = std::max<unsigned>(major, type.decl->major);
    names.push_back(dotted(type.decl->name));
  }
  for (const auto& [jar, value] : by_jar) {
    base::Finding finding =
        base::make_finding("RG1304", jar_name(unit, jar),
                           fmt::format("{} classes need Java {}, the target runs on Java {}",
                                       base::with_thousands(value.second.size()), value.first - 44,
                                       options.java_release));
    finding.symbol = value.second.front();
    show_names(value.second, finding);
    out.push_back(std::move(finding));
  }
}

}  // namespace

bool has_conflicting_classes(const ClassIndex& index) {
  for (const auto& [name, location] : index.classes()) {
    const JarEntry& first = index.entry(location);
    for (const ClassLocation other : index.find_all(name)) {
      const JarEntry& entry = index.entry(other);
      if (other.jar != location.jar &&
          (entry.crc32 != first.crc32 || entry.size_bytes != first.size_bytes))
        return true;
    }
  }
  return false;
}

std::vector<base::Finding> class_path_findings(const LinkUnit& unit, const Judgement& judgement,
                                               const LinkOptions& options,
                                               const std::string& target_label) {
  std::vector<base::Finding> out;
  add_shadowed(unit, judgement, target_label, out);
  add_duplicates(unit, out);
  add_class_file_levels(unit, judgement, options, out);
  const auto add_error = [&](const Error& error) {
    base::Finding finding = base::make_finding("RG1306", error.subject, error.message);
    finding.location.file = error.subject;
    finding.location.offset = error.offset;
    out.push_back(std::move(finding));
  };
  for (const Error& error : unit.unreadable) add_error(error);
  for (const Error& error : judgement.unreadable) add_error(error);
  if (options.jdk == nullptr)
    out.push_back(base::make_finding(
        "RG1305", target_label,
        fmt::format("no JDK was given: {} references into java/**, javax/**, jdk/** and sun/** "
                    "count as right",
                    base::with_thousands(judgement.assumed))));
  if (unit.unfollowed != 0 || unit.old_classes != 0)
    out.push_back(base::make_finding(
        "RG1307", target_label,
        fmt::format("what the verifier asks is unknown for {} methods and {} old classes",
                    base::with_thousands(unit.unfollowed),
                    base::with_thousands(unit.old_classes))));
  base::normalise(out);
  return out;
}

}  // namespace rowgate::jarscan
