// Versions in Maven's own order, as `org.apache.maven.artifact.versioning.ComparableVersion` of
// Maven 3.9 has it. Ranges, LATEST and mediation use generic_version.hpp; verdicts about Spark use
// spark_version.hpp.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rowgate::pomcheck {

// Any text is a version. Equality is Maven's ("1.0" == "1", "1-ga" == "1"), so it is weaker than
// equality of the texts. Parsing and comparing are linear in the text's length.
//
// The order is antisymmetric but, as in Maven, not transitive for every text: do not hand hostile
// versions to std::sort with it.
class MavenVersion {
 public:
  explicit MavenVersion(std::string_view text);

  const std::string& text() const { return text_; }

  // Maven's normal form: "4.2.0-preview5" -> "4.2-preview-5".
  std::string canonical() const;

  friend std::weak_ordering operator<=>(const MavenVersion& a, const MavenVersion& b);
  friend bool operator==(const MavenVersion& a, const MavenVersion& b) { return (a <=> b) == 0; }

 private:
  // A number (decimal digits without leading zeros; zero is empty) or a qualifier.
  struct Atom {
    enum class Kind : std::uint8_t { number, qualifier } kind;
    std::string text;
    bool is_null() const { return text.empty(); }  // 0, and "" (ga, final, release)
  };
  using Segment = std::vector<Atom>;

  static int rank(const Atom& atom);
  static std::weak_ordering against_nothing(const Atom& atom);
  static std::weak_ordering compare_atoms(const Atom& a, const Atom& b);
  static std::weak_ordering against_nothing(const MavenVersion& version, std::size_t segment);
  void parse(std::string_view lower);
  void normalise();

  std::string text_;
  std::vector<Segment> segments_;
};

}  // namespace rowgate::pomcheck
