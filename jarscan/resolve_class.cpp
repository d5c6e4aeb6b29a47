#include "jarscan/resolve_class.hpp"

#include <algorithm>
#include <cstring>

namespace rowgate::jarscan {

// A multiply-and-fold hash over eight bytes at a time. Its values are stored in the class index on
// disk, so a change of it needs a new version of that format.
std::uint64_t text_hash(std::string_view text, std::uint64_t seed) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = seed ^ (text.size() * kMultiplier);
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 29;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    mix(word);
  }
  if (left > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, left);
    mix(word);
  }
  hash *= kMultiplier;
  return hash ^ hash >> 32;
}

std::uint64_t member_key(std::string_view name, std::string_view descriptor) {
  return text_hash(descriptor, text_hash(name));
}

std::string_view DeclPool::intern(std::string_view text) {
  if (text.empty()) return {};
  if (const auto found = texts_.find(text); found != texts_.end()) return *found;
  char* copy = static_cast<char*>(memory_.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  bytes_ += text.size();
  return *texts_.insert(std::string_view(copy, text.size())).first;
}

std::span<const std::string_view> DeclPool::texts(std::span<const std::string_view> from) {
  const std::span<std::string_view> copies = array<std::string_view>(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) copies[i] = intern(from[i]);
  return copies;
}

std::span<const MemberDecl> DeclPool::members(std::span<const Member> from) {
  const std::span<MemberDecl> copies = array<MemberDecl>(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    copies[i] = {member_key(from[i].name, from[i].descriptor), intern(from[i].name),
                 intern(from[i].descriptor), from[i].access};
  bytes_ += copies.size_bytes();
  return copies;
}

const ClassDecl* DeclPool::declare(const ClassFile& file) {
  ClassDecl& decl = array<ClassDecl>(1)[0];
  decl.name = intern(file.this_name);
  decl.super_name = intern(file.super_name);
  decl.nest_host = intern(file.nest_host);
  decl.interfaces = texts(file.interfaces);
  decl.nest_members = texts(file.nest_members);
  decl.permitted = texts(file.permitted_subclasses);
  decl.fields = members(file.fields);
  decl.methods = members(file.methods);
  decl.access = file.access;
  decl.major = file.major;
  decl.sealed = file.has_permitted_subclasses;
  decl.scala =
      std::any_of(file.attributes.begin(), file.attributes.end(), [](std::string_view attribute) {
        return attribute == "Scala" || attribute == "ScalaSig" || attribute == "ScalaInlineInfo";
      });
  return &decl;
}

const ClassDecl* DeclPool::copy(const ClassDecl& from) {
  ClassDecl& decl = array<ClassDecl>(1)[0];
  decl = from;
  decl.name = intern(from.name);
  decl.super_name = intern(from.super_name);
  decl.nest_host = intern(from.nest_host);
  decl.interfaces = texts(from.interfaces);
  decl.nest_members = texts(from.nest_members);
  decl.permitted = texts(from.permitted);
  const auto members_of = [&](std::span<const MemberDecl> list) {
    const std::span<MemberDecl> copies = array<MemberDecl>(list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      copies[i] = {list[i].key, intern(list[i].name), intern(list[i].descriptor), list[i].access};
    return copies;
  };
  decl.fields = members_of(from.fields);
  decl.methods = members_of(from.methods);
  return &decl;
}

std::string_view element_class(std::string_view name_or_array) {
  if (name_or_array.empty() || name_or_array[0] != '[') return name_or_array;
  const std::size_t start = name_or_array.find_first_not_of('[');
  if (start == std::string_view::npos || name_or_array[start] != 'L' ||
      !name_or_array.ends_with(';'))
    return {};
  return name_or_array.substr(start + 1, name_or_array.size() - start - 2);
}

}  // namespace rowgate::jarscan
