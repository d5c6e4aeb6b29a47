// Source: the documentation of the resolver's GenericVersion (1.9).
//
// A version is cut at '.', '-' and '_' (all alike) and wherever digits meet other characters. Items
// are numbers, the known qualifiers (alpha = -5, beta = -4, milestone = -3, cr = rc = -2,
// snapshot = -1, ga = final = release = "" = 0, sp = 1; a, b, m directly before a digit), other
// words, and at the very end "min" and "max". An empty item is 0.
//
// Trailing padding (0, release) is dropped wherever a run of numbers or of non-numbers ends.
// Comparison goes item by item. Where one version has a number and the other has none, all further
// items of the kind seen last (at first: numbers) are compared with padding, in the version that
// goes on with that kind; so is what remains of the longer version.
//
// Cost: linear in both texts.
#include "pomcheck/generic_version.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/version_text.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 10> kQualifiers = {{
    {"alpha", -5},
    {"beta", -4},
    {"milestone", -3},
    {"cr", -2},
    {"rc", -2},
    {"snapshot", -1},
    {"ga", 0},
    {"final", 0},
    {"release", 0},
    {"sp", 1},
}};

// Below this length the resolver holds a number as an int, above it as a big integer, and the kinds
// rank before the values do. Leading zeros do not count.
constexpr std::size_t kBigNumberDigits = 10;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_separator(char c) {
  return c == '.' || c == '-' || c == '_';
}

std::optional<int> qualifier_rank(std::string_view lower, bool digit_follows) {
  if (digit_follows && lower.size() == 1) {
    if (lower == "a") return -5;
    if (lower == "b") return -4;
    if (lower == "m") return -3;
  }
  for (const auto& [name, rank] : kQualifiers)
    if (name == lower) return rank;
  return std::nullopt;
}

}  // namespace

GenericVersion::GenericVersion(std::string_view text) : text_(text) {
  parse();
  trim_padding();
}

void GenericVersion::parse() {
  const std::string_view text = text_.empty() ? std::string_view("0") : std::string_view(text_);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    const bool digits = is_digit(text[at]);
    while (at < text.size() && !is_separator(text[at]) && is_digit(text[at]) == digits) ++at;
    const std::string_view piece = text.substr(start, at - start);
    const bool digit_follows = at < text.size() && is_digit(text[at]);
    if (at < text.size() && is_separator(text[at])) ++at;

    if (piece.empty() || digits) {
      std::string number(strip_leading_zeros(piece));
      const Kind kind = number.size() < kBigNumberDigits ? Kind::small_number : Kind::big_number;
      items_.push_back({kind, 0, std::move(number)});
      continue;
    }
    std::string lower = version_lower_case(piece);
    const bool last = at >= text.size();
    if (last && lower == "min") {
      items_.push_back({Kind::min, 0, {}});
    } else if (last && lower == "max") {
      items_.push_back({Kind::max, 0, {}});
    } else if (const auto rank = qualifier_rank(lower, digit_follows)) {
      items_.push_back({Kind::qualifier, *rank, {}});
    } else {
      items_.push_back({Kind::word, 0, std::move(lower)});
    }
  }
}

void GenericVersion::trim_padding() {
  // An item may go when it ends its run, that is when nothing of its kind is kept right after it.
  // The first item of a run stays unless it ends the version, and the first item of all stays
  // always.
  std::optional<bool> kept_after;  // whether the nearest kept item to the right is a number
  for (std::size_t i = items_.size(); i-- > 1;) {
    const bool number = items_[i].is_number();
    const bool ends_run = kept_after != number;
    const bool begins_run = items_[i - 1].is_number() != number;
    if (ends_run && (!kept_after || !begins_run) && against_padding(items_[i]) == 0)
      items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
    else
      kept_after = number;
  }
}

std::weak_ordering GenericVersion::against_padding(const Item& item) {
  switch (item.kind) {
    case Kind::min: return std::weak_ordering::less;
    case Kind::max:
    case Kind::big_number:
    case Kind::word: return std::weak_ordering::greater;
    case Kind::small_number:
      return item.text.empty() ? std::weak_ordering::equivalent : std::weak_ordering::greater;
    case Kind::qualifier: return item.rank <=> 0;
  }
  return std::weak_ordering::equivalent;
}

std::weak_ordering GenericVersion::compare_items(const Item& a, const Item& b) {
  if (a.kind != b.kind) return a.kind <=> b.kind;
  switch (a.kind) {
    case Kind::min:
    case Kind::max: return std::weak_ordering::equivalent;
    case Kind::qualifier: return a.rank <=> b.rank;
    case Kind::word: return a.text <=> b.text;
    case Kind::small_number:
    case Kind::big_number: return compare_numbers(a.text, b.text);
  }
  return std::weak_ordering::equivalent;
}

std::weak_ordering GenericVersion::tail_against_padding(std::size_t from,
                                                        const bool* only_numbers) const {
  for (std::size_t i = from; i < items_.size(); ++i) {
    if (only_numbers != nullptr && *only_numbers != items_[i].is_number()) continue;
    if (const auto order = against_padding(items_[i]); order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

std::weak_ordering operator<=>(const GenericVersion& a, const GenericVersion& b) {
  bool number = true;  // the kind of the items that were compared last
  for (std::size_t i = 0;; ++i) {
    if (i >= a.items_.size() && i >= b.items_.size()) return std::weak_ordering::equivalent;
    if (i >= a.items_.size()) return 0 <=> b.tail_against_padding(i, nullptr);
    if (i >= b.items_.size()) return a.tail_against_padding(i, nullptr);
    const GenericVersion::Item& left = a.items_[i];
    const GenericVersion::Item& right = b.items_[i];
    if (left.is_number() != right.is_number()) {
      return left.is_number() == number ? a.tail_against_padding(i, &number)
                                        : 0 <=> b.tail_against_padding(i, &number);
    }
    if (const auto order = GenericVersion::compare_items(left, right); order != 0) return order;
    number = left.is_number();
  }
}

}  // namespace rowgate::pomcheck
