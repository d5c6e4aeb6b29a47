// Source: Maven 3.9's ComparableVersion, whose documented rules are these.
//
// A version is cut at '.', at '-', and wherever digits meet other characters. A '-' and such a
// change of kind open a list inside the list; a '.' does not. As text is read from left to right,
// an inner list is always the last element of the one around it, so the tree is a sequence of
// segments: segment i + 1 stands at the end of segment i. That makes every walk a loop.
//
// Trailing nulls (0, "", ga, final, release) are dropped from each segment, from the innermost to
// the outermost. Two versions are compared element by element, a missing one counting as null:
//   number against number: by value;              number > list > qualifier;
//   qualifiers: alpha < beta < milestone < rc < snapshot < "" < sp < any other, those by text;
//   a single a, b or m directly before a digit is alpha, beta, milestone; cr is rc.
//
// Cost: linear in both texts.
#include "pomcheck/maven_version.hpp"

#include <algorithm>
#include <array>

#include "pomcheck/version_text.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::array<std::string_view, 7> kQualifiers = {"alpha",    "beta", "milestone", "rc",
                                                         "snapshot", "",     "sp"};
constexpr int kReleaseRank = 5;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string canonical_qualifier(std::string_view word, bool digit_follows) {
  if (digit_follows && word.size() == 1) {
    if (word == "a") return "alpha";
    if (word == "b") return "beta";
    if (word == "m") return "milestone";
  }
  if (word == "ga" || word == "final" || word == "release") return "";
  if (word == "cr") return "rc";
  return std::string(word);
}

}  // namespace

MavenVersion::MavenVersion(std::string_view text) : text_(text) {
  parse(version_lower_case(text));
  normalise();
}

void MavenVersion::parse(std::string_view lower) {
  segments_.emplace_back();
  std::size_t start = 0;
  bool digits = false;
  const auto add = [&](std::size_t end, bool digit_follows) {
    const std::string_view piece = lower.substr(start, end - start);
    if (piece.empty() || digits)
      segments_.back().push_back({Atom::Kind::number, std::string(strip_leading_zeros(piece))});
    else
      segments_.back().push_back(
          {Atom::Kind::qualifier, canonical_qualifier(piece, digit_follows)});
  };
  // ".x" counts as "-x" for a qualifier x that ends the text or stands before a digit.
  const auto open_for_qualifier = [&] {
    if (!segments_.back().empty()) segments_.emplace_back();
  };
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const char c = lower[i];
    if (c == '.' || c == '-') {
      add(i, false);
      start = i + 1;
      if (c == '-') segments_.emplace_back();
    } else if (is_digit(c)) {
      if (!digits && i > start) {
        open_for_qualifier();
        add(i, true);
        start = i;
        segments_.emplace_back();
      }
      digits = true;
    } else {
      if (digits && i > start) {
        add(i, false);
        start = i;
        segments_.emplace_back();
      }
      digits = false;
    }
  }
  if (start < lower.size()) {
    if (!digits) open_for_qualifier();
    add(lower.size(), false);
  }
}

void MavenVersion::normalise() {
  for (std::size_t i = segments_.size(); i-- > 0;) {
    Segment& segment = segments_[i];
    while (!segment.empty() && segment.back().is_null()) segment.pop_back();
    // An empty segment with nothing inside is a null of the segment around it.
    if (segment.empty() && i + 1 == segments_.size() && i > 0) segments_.pop_back();
  }
}

std::string MavenVersion::canonical() const {
  std::string out;
  bool separate = false;  // the list around this one has text before it
  for (const Segment& segment : segments_) {
    std::string atoms;
    for (const Atom& atom : segment) {
      if (!atoms.empty()) atoms += '.';
      const bool zero = atom.kind == Atom::Kind::number && atom.text.empty();
      atoms += zero ? "0" : atom.text;
    }
    if (separate) out += '-';
    separate = !atoms.empty();
    out += atoms;
  }
  return out;
}

int MavenVersion::rank(const Atom& atom) {
  const auto* found = std::find(kQualifiers.begin(), kQualifiers.end(), atom.text);
  return static_cast<int>(found - kQualifiers.begin());
}

std::weak_ordering MavenVersion::against_nothing(const Atom& atom) {
  if (atom.kind == Atom::Kind::number)
    return atom.text.empty() ? std::weak_ordering::equivalent : std::weak_ordering::greater;
  return rank(atom) <=> kReleaseRank;
}

std::weak_ordering MavenVersion::compare_atoms(const Atom& a, const Atom& b) {
  if (a.kind != b.kind)
    return a.kind == Atom::Kind::number ? std::weak_ordering::greater : std::weak_ordering::less;
  if (a.kind == Atom::Kind::number) return compare_numbers(a.text, b.text);
  if (const std::weak_ordering by_rank = rank(a) <=> rank(b); by_rank != 0) return by_rank;
  return a.text <=> b.text;
}

// The list that begins at `segment`, against a missing element.
std::weak_ordering MavenVersion::against_nothing(const MavenVersion& version, std::size_t segment) {
  for (; segment < version.segments_.size(); ++segment) {
    for (const Atom& atom : version.segments_[segment])
      if (const std::weak_ordering order = against_nothing(atom); order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

std::weak_ordering operator<=>(const MavenVersion& a, const MavenVersion& b) {
  for (std::size_t level = 0;; ++level) {
    const MavenVersion::Segment& left = a.segments_[level];
    const MavenVersion::Segment& right = b.segments_[level];
    const bool left_list = level + 1 < a.segments_.size();
    const bool right_list = level + 1 < b.segments_.size();
    const std::size_t common = std::min(left.size(), right.size());
    for (std::size_t i = 0; i < common; ++i)
      if (const auto order = MavenVersion::compare_atoms(left[i], right[i]); order != 0)
        return order;
    if (left.size() == right.size()) {
      if (left_list && right_list) continue;
      if (left_list) return MavenVersion::against_nothing(a, level + 1);
      if (right_list) return 0 <=> MavenVersion::against_nothing(b, level + 1);
      return std::weak_ordering::equivalent;
    }
    // One side goes on with atoms where the other has its inner list or nothing.
    const bool left_is_longer = left.size() > right.size();
    const MavenVersion& longer = left_is_longer ? a : b;
    const MavenVersion::Segment& atoms = left_is_longer ? left : right;
    std::size_t at = common;
    std::weak_ordering order = std::weak_ordering::equivalent;
    if (left_is_longer ? right_list : left_list) {
      order = atoms[at].kind == MavenVersion::Atom::Kind::number ? std::weak_ordering::greater
                                                                 : std::weak_ordering::less;
    } else {
      for (; order == 0 && at < atoms.size(); ++at)
        order = MavenVersion::against_nothing(atoms[at]);
      if (order == 0) order = MavenVersion::against_nothing(longer, level + 1);
    }
    return left_is_longer ? order : 0 <=> order;
  }
}

}  // namespace rowgate::pomcheck
