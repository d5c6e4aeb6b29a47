// Words for people about symbols and root causes. Internal to link.
#pragma once

#include <string>
#include <string_view>

#include "jarscan/link.hpp"

namespace rowgate::jarscan {

// "copy(Ljava/lang/String;I)V" -> "copy(String, int)"; "x:I" -> "x".
std::string readable_member(std::string_view member);
// "a.b.C", "a.b.C.m(Lx/Y;)V", "a.b.C extends x.Y": the internal symbol with dots in class names.
std::string dotted_symbol(const LinkBreak& broken);
std::string simple_name(std::string_view internal_name);

// The check of the catalogue that a cause belongs to.
const char* check_of(LinkProblem problem);

struct DescribeContext {
  ClassWorld* target = nullptr;
  ClassWorld* baseline = nullptr;  // may be nullptr
  std::string target_label, baseline_label;
};
// One line: what is gone or changed.
std::string describe(const LinkBreak& broken, const DescribeContext& context);
// The overload nearest to a missing method, or where a class of the same simple name is now.
std::string nearest_to(const LinkBreak& broken, const DescribeContext& context);
// The SQL statements or actions that end in a method of a catalog or table with this name; "" when
// unknown.
std::string_view statement_of(std::string_view method);

}  // namespace rowgate::jarscan
