// Versions in the order of Maven's resolver (`org.eclipse.aether.util.version.GenericVersion`,
// 1.9): what ranges, LATEST, RELEASE and mediation between ranges go by. It is not the order of
// maven_version.hpp: here '.', '-' and '_' are the same, so "1-1" == "1.1".
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rowgate::pomcheck {

// Any text is a version. The order is antisymmetric; like the resolver's it is not promised to be
// transitive for hostile texts. Parsing and comparing are linear.
class GenericVersion {
 public:
  explicit GenericVersion(std::string_view text);

  const std::string& text() const { return text_; }

  friend std::weak_ordering operator<=>(const GenericVersion& a, const GenericVersion& b);
  friend bool operator==(const GenericVersion& a, const GenericVersion& b) {
    return (a <=> b) == 0;
  }

 private:
  // Ordered as the resolver ranks them against each other.
  enum class Kind : std::uint8_t { min, qualifier, word, small_number, big_number, max };
  struct Item {
    Kind kind;
    int rank = 0;      // of a known qualifier: alpha -5 … snapshot -1, release 0, sp 1
    std::string text;  // of a word (lower case) or number (no leading zeros; zero is empty)
    bool is_number() const { return kind != Kind::qualifier && kind != Kind::word; }
  };

  static std::weak_ordering against_padding(const Item& item);
  static std::weak_ordering compare_items(const Item& a, const Item& b);
  std::weak_ordering tail_against_padding(std::size_t from, const bool* only_numbers) const;
  void parse();
  void trim_padding();

  std::string text_;
  std::vector<Item> items_;
};

}  // namespace rowgate::pomcheck
