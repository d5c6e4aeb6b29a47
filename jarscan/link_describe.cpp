#include "jarscan/link_describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"
#include "jarscan/class_index.hpp"

namespace rowgate::jarscan {
namespace {

std::string readable_type(std::string_view descriptor, std::size_t& at) {
  unsigned dimensions = 0;
  while (at < descriptor.size() && descriptor[at] == '[') ++dimensions, ++at;
  std::string name;
  if (at >= descriptor.size()) return name;
  switch (descriptor[at]) {
    case 'B': name = "byte"; break;
    case 'C': name = "char"; break;
    case 'D': name = "double"; break;
    case 'F': name = "float"; break;
    case 'I': name = "int"; break;
    case 'J': name = "long"; break;
    case 'S': name = "short"; break;
    case 'Z': name = "boolean"; break;
    case 'V': name = "void"; break;
    case 'L': {
      const std::size_t end = std::min(descriptor.find(';', at), descriptor.size());
      name = simple_name(descriptor.substr(at + 1, end - at - 1));
      at = end;
      break;
    }
    default: break;
  }
  ++at;
  for (; dimensions > 0; --dimensions) name += "[]";
  return name;
}

std::vector<std::string> parameters(std::string_view member) {
  std::vector<std::string> types;
  const std::size_t open = member.find('('), close = member.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return types;
  const std::string_view list = member.substr(0, close);
  for (std::size_t at = open + 1; at < list.size();) types.push_back(readable_type(list, at));
  return types;
}

const char* kind_word(const ResolvedClass* type) {
  if (type == nullptr) return "missing";
  return type->decl->is_interface() ? "interface" : "class";
}

// "C: class in 4.1.0, interface in 4.2.0".
std::string changed_kind(std::string_view name, const DescribeContext& context) {
  const ResolvedClass* now = context.target->load(name, LoaderKind::child);
  std::string text = fmt::format("{}: ", dotted(name));
  if (context.baseline != nullptr) {
    const ResolvedClass* before = context.baseline->load(name, LoaderKind::child);
    text += fmt::format("{} in {}, ", kind_word(before), context.baseline_label);
  }
  return text + fmt::format("{} in {}", kind_word(now), context.target_label);
}

std::size_t common_parameters(const std::vector<std::string>& a,
                              const std::vector<std::string>& b) {
  // Longest common subsequence; methods have at most 255 parameters.
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const std::string& left : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = left == b[j] ? diagonal + 1 : std::max(row[j], above);
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string simple_name(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return std::string(name.substr(slash == std::string_view::npos ? 0 : slash + 1));
}

std::string readable_member(std::string_view member) {
  const std::size_t open = member.find('(');
  if (open == std::string_view::npos) return std::string(member.substr(0, member.find(':')));
  const std::vector<std::string> types = parameters(member);
  return fmt::format("{}({})", member.substr(0, open), base::join(types, ", "));
}

std::string dotted_symbol(const LinkBreak& broken) {
  std::string symbol = broken.symbol;
  // Descriptors keep their slashes: they are not class names for people.
  const std::size_t end = std::min(symbol.find_first_of("(:"), symbol.size());
  std::replace(symbol.begin(), symbol.begin() + static_cast<std::ptrdiff_t>(end), '/', '.');
  return symbol;
}

const char* check_of(LinkProblem problem) {
  switch (problem) {
    case LinkProblem::none: break;
    case LinkProblem::class_missing: return "RG1201";
    case LinkProblem::method_missing: return "RG1202";
    case LinkProblem::field_missing: return "RG1203";
    case LinkProblem::found_interface:
    case LinkProblem::found_class:
    case LinkProblem::superclass_is_interface:
    case LinkProblem::superinterface_is_class:
    case LinkProblem::lambda_not_interface: return "RG1204";
    case LinkProblem::not_static:
    case LinkProblem::is_static: return "RG1205";
    case LinkProblem::class_inaccessible:
    case LinkProblem::supertype_inaccessible:
    case LinkProblem::member_inaccessible:
    case LinkProblem::implemented_inaccessibly: return "RG1206";
    case LinkProblem::final_field_written: return "RG1207";
    case LinkProblem::abstract_instantiated: return "RG1208";
    case LinkProblem::abstract_called:
    case LinkProblem::unimplemented: return "RG1209";
    case LinkProblem::conflicting_defaults: return "RG1210";
    case LinkProblem::superclass_final:
    case LinkProblem::not_permitted:
    case LinkProblem::overrides_final: return "RG1211";
    case LinkProblem::bad_assignment:
    case LinkProblem::not_throwable:
    case LinkProblem::bad_protected_access: return "RG1212";
    case LinkProblem::interface_lost: return "RG1213";
    case LinkProblem::class_circular: return "RG1214";
  }
  return "RG1201";
}

std::string describe(const LinkBreak& broken, const DescribeContext& context) {
  const std::string owner = dotted(broken.culprit);
  const std::string member = readable_member(broken.member);
  const std::string via(dotted(broken.via));
  switch (broken.problem) {
    case LinkProblem::class_missing: return fmt::format("class {} is not there", owner);
    case LinkProblem::method_missing: return fmt::format("{}.{} is not there", owner, member);
    case LinkProblem::field_missing: return fmt::format("field {}.{} is not there", owner, member);
    case LinkProblem::found_interface:
    case LinkProblem::found_class:
    case LinkProblem::superclass_is_interface:
    case LinkProblem::superinterface_is_class:
    case LinkProblem::lambda_not_interface: return changed_kind(broken.culprit, context);
    case LinkProblem::not_static: return fmt::format("{}.{} is no longer static", owner, member);
    case LinkProblem::is_static: return fmt::format("{}.{} is static now", owner, member);
    case LinkProblem::class_inaccessible:
    case LinkProblem::supertype_inaccessible: return fmt::format("{} is not accessible", owner);
    case LinkProblem::member_inaccessible:
      return fmt::format("{}.{} is not accessible", owner, member);
    case LinkProblem::implemented_inaccessibly:
      return fmt::format("{}.{} is implemented by a method that is not public", owner, member);
    case LinkProblem::final_field_written: return fmt::format("{}.{} is final", owner, member);
    case LinkProblem::abstract_instantiated: return fmt::format("{} is abstract", owner);
    case LinkProblem::abstract_called: return fmt::format("{}.{} is abstract", owner, member);
    case LinkProblem::unimplemented:
      return fmt::format("{}.{} is abstract and not implemented", owner, member);
    case LinkProblem::conflicting_defaults:
      return fmt::format("{}.{} competes with another default method", owner, member);
    case LinkProblem::superclass_final: return fmt::format("{} is final", owner);
    case LinkProblem::not_permitted:
      return fmt::format("{} is sealed and does not permit the subclass", owner);
    case LinkProblem::overrides_final: return fmt::format("{}.{} is final", owner, member);
    case LinkProblem::bad_assignment:
      return fmt::format("{} is no longer a subclass of {}", owner, via);
    case LinkProblem::not_throwable: return fmt::format("{} is no longer a Throwable", owner);
    case LinkProblem::bad_protected_access:
      return fmt::format("{}.{} is protected, and the object is no subclass of the caller", owner,
                         member);
    case LinkProblem::interface_lost: return fmt::format("{} no longer implements {}", owner, via);
    case LinkProblem::class_circular: return fmt::format("{} is its own supertype", owner);
    case LinkProblem::none: break;
  }
  return owner;
}

std::string nearest_to(const LinkBreak& broken, const DescribeContext& context) {
  if (broken.problem == LinkProblem::class_missing) {
    ClassProvider* parent = context.target->layers().parent;
    if (parent == nullptr) return {};
    const std::vector<std::string> places = parent->find_simple(simple_name(broken.culprit), 4);
    // More than a few of one name say nothing.
    return places.empty() || places.size() > 3 ? std::string() : dotted(places.front());
  }
  if (broken.problem != LinkProblem::method_missing) return {};
  const ResolvedClass* owner = context.target->load(broken.culprit, LoaderKind::child);
  if (owner == nullptr || !owner->loadable()) return {};
  const std::string_view name = std::string_view(broken.member).substr(0, broken.member.find('('));
  const std::vector<std::string> wanted = parameters(broken.member);
  std::string best;
  std::size_t best_cost = SIZE_MAX;
  for (const MemberDecl& method : owner->decl->methods) {
    if (method.name != name || method.is(access::kSynthetic)) continue;
    const std::string text = fmt::format("{}{}", method.name, method.descriptor);
    const std::vector<std::string> other = parameters(text);
    const std::size_t cost = wanted.size() + other.size() - 2 * common_parameters(wanted, other);
    if (cost < best_cost) {
      best_cost = cost;
      std::size_t at = text.find(')') + 1;
      best = fmt::format("{}: {}", readable_member(text), readable_type(text, at));
    }
  }
  return best;
}

std::string_view statement_of(std::string_view method) {
  constexpr struct {
    std::string_view method, statement;
  } kStatements[] = {
      {"alterNamespace", "ALTER NAMESPACE"},
      {"alterTable", "ALTER TABLE"},
      {"alterView", "ALTER VIEW"},
      {"createNamespace", "CREATE NAMESPACE"},
      {"createTable", "CREATE TABLE"},
      {"createView", "CREATE VIEW"},
      {"deleteWhere", "DELETE"},
      {"dropTable", "DROP TABLE"},
      {"dropView", "DROP VIEW"},
      {"initialize", "the first use of the catalog"},
      {"inputFormat", "reading files"},
      {"listTables", "SHOW TABLES"},
      {"loadTable", "any use of a table"},
      {"loadView", "any use of a view"},
      {"newRowLevelOperationBuilder", "UPDATE, DELETE, MERGE"},
      {"newScanBuilder", "SELECT"},
      {"newWriteBuilder", "INSERT"},
      {"renameTable", "ALTER TABLE RENAME"},
      {"stageCreate", "CREATE TABLE AS SELECT"},
      {"stageCreateOrReplace", "CREATE OR REPLACE TABLE"},
      {"stageReplace", "REPLACE TABLE"},
      {"truncateTable", "TRUNCATE TABLE"},
  };
  for (const auto& row : kStatements)
    if (row.method == method) return row.statement;
  return {};
}

}  // namespace rowgate::jarscan
