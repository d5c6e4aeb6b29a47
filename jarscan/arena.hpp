// Keeps texts, each once, for as long as it lives.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace rowgate::jarscan {

class TextArena {
 public:
  // A view of an equal text that this arena owns.
  std::string_view keep(std::string_view text) {
    if (const auto known = texts_.find(text); known != texts_.end()) return *known;
    if (text.size() > left_) {
      const std::size_t size = text.size() > kBlock ? text.size() : kBlock;
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
      next_ = blocks_.back().get();
      left_ = size;
    }
    if (!text.empty()) std::memcpy(next_, text.data(), text.size());
    const std::string_view kept(next_, text.size());
    next_ += text.size();
    left_ -= text.size();
    texts_.insert(kept);
    return kept;
  }

  // The texts as an array that stays where it is.
  std::span<const std::string_view> keep_all(const std::vector<std::string_view>& texts) {
    if (texts.empty()) return {};
    if (lists_.empty() || lists_.back().capacity() - lists_.back().size() < texts.size()) {
      lists_.emplace_back();
      lists_.back().reserve(texts.size() > kList ? texts.size() : kList);
    }
    List& list = lists_.back();  // never grows beyond what it reserved
    const std::size_t first = list.size();
    for (const std::string_view text : texts) list.push_back(keep(text));
    return std::span(list).subspan(first);
  }

 private:
  using List = std::vector<std::string_view>;
  static constexpr std::size_t kBlock = std::size_t{64} << 10, kList = 4096;

  std::unordered_set<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<List> lists_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace rowgate::jarscan
