#include "jarscan/scan_jar.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checks.hpp"
#include "base/text.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::string_view kClass = ".class", kServices = "META-INF/services/",
                           kMaven = "META-INF/maven/", kPomProperties = "/pom.properties";
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 20;

bool is_module_info(std::string_view entry_name) {
  return entry_name == "module-info.class" || entry_name.ends_with("/module-info.class");
}

bool is_service(std::string_view name) {
  return name.starts_with(kServices) && name.size() > kServices.size() &&
         name.find('/', kServices.size()) == std::string_view::npos;
}

bool is_pom_properties(std::string_view name) {
  return name.starts_with(kMaven) && name.ends_with(kPomProperties);
}

std::string subject_of(const JarFile& jar, const JarEntry& entry) {
  return fmt::format("{}!/{}", jar.name(), base::printable(entry.name));
}

base::Finding finding_of(const char* check, const JarFile& jar, const JarEntry& entry,
                         const Error& error) {
  base::Finding finding = base::make_finding(check, jar.name(), error.message);
  finding.symbol = base::printable(entry.name);
  finding.location.file = subject_of(jar, entry);
  finding.location.offset = error.offset;
  return finding;
}

void add_shim(std::vector<Shim>& shims, std::string_view prefix) {
  for (Shim& shim : shims)
    if (shim.prefix == prefix) {
      ++shim.classes;
      return;
    }
  shims.push_back({std::string(prefix), 1});
}

}  // namespace

CapabilitySet named_capabilities(const ConstantPool& pool) {
  constexpr std::string_view kPrefix = "org/apache/spark/sql/";
  CapabilitySet named = 0;
  const std::vector<Tag>& tags = pool.tags();
  for (std::size_t i = 1; i < tags.size(); ++i) {
    if (tags[i] != Tag::class_) continue;
    const std::string_view name = pool.name(static_cast<std::uint16_t>(i));
    if (!name.starts_with(kPrefix)) continue;
    if (const auto row = find_capability(name)) named |= capability_bit(*row);
  }
  return named;
}

std::vector<std::string> parse_providers(std::string_view text) {
  std::vector<std::string> providers;
  for (std::string_view line : base::split(text, '\n')) {
    line = base::trim(line.substr(0, line.find('#')));
    if (!line.empty()) providers.emplace_back(line);
  }
  return providers;
}

EmbeddedPom parse_pom_properties(std::string_view text) {
  EmbeddedPom pom;
  for (const std::string_view line : base::split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || line.starts_with('#')) continue;
    const std::string_view key = base::trim(line.substr(0, equals));
    const std::string value(base::trim(line.substr(equals + 1)));
    if (key == "groupId") pom.group_id = value;
    if (key == "artifactId") pom.artifact_id = value;
    if (key == "version") pom.version = value;
  }
  return pom;
}

RunFacts RunScanner::scan(const JarFile& jar, std::uint32_t first_entry, std::uint32_t end_entry) {
  RunFacts out;
  const auto shadowed = jar.shadowed();
  for (std::uint32_t i = first_entry; i < end_entry; ++i) {
    const JarEntry& entry = jar.entries()[i];
    if (!shadowed.empty() && std::binary_search(shadowed.begin(), shadowed.end(), i)) continue;
    if (entry.is_class())
      read_class(jar, i, out);
    else if (is_service(entry.name) || is_pom_properties(entry.name))
      read_text(jar, i, out);
  }
  return out;
}

void RunScanner::read_class(const JarFile& jar, std::uint32_t index, RunFacts& out) {
  const JarEntry& entry = jar.entries()[index];
  const auto bytes = reader_.read(jar, entry);
  if (!bytes) {
    ++out.classes_skipped;
    out.findings.push_back(finding_of("RG1002", jar, entry, bytes.error()));
    return;
  }
  if (const auto parsed = parse_class(*bytes, ClassDepth::header, file_); !parsed) {
    ++out.classes_skipped;
    out.findings.push_back(finding_of("RG1003", jar, entry, parsed.error()));
    return;
  }
  ++out.classes_read;
  out.class_bytes += bytes->size();
  check_place(jar, entry, out);
  const bool is_versioned = versioned_name(entry.name).has_value();
  if (!is_versioned && !is_module_info(entry.name)) {
    out.min_major = std::min(out.min_major, file_.major);
    out.max_major = std::max(out.max_major, file_.major);
  }
  if (file_.is_module()) {
    out.has_module_info = true;
    return;
  }
  ClassFacts facts;
  facts.named = named_capabilities(file_.pool);
  // The name is usually the entry's own, which needs no copy.
  std::string_view path = entry.name;
  path.remove_suffix(kClass.size());
  facts.type.name = path.ends_with(file_.this_name)
                        ? path.substr(path.size() - file_.this_name.size())
                        : arena_.keep(file_.this_name);
  facts.type.super = arena_.keep(file_.super_name);
  facts.type.interfaces = arena_.keep_all(file_.interfaces);
  facts.type.access = file_.access;
  facts.major = file_.major;
  facts.entry = index;
  static const CapabilitySet kExtensions =
      capability_bit(capability_index("SparkSessionExtensions"));
  if ((facts.named & kExtensions) != 0 && parse_class(*bytes, ClassDepth::members, file_))
    facts.is_extension = takes_extensions();
  out.classes.push_back(facts);
}

// Scala's `SparkSessionExtensions => Unit`, in the form that is not erased.
bool RunScanner::takes_extensions() {
  return std::any_of(file_.methods.begin(), file_.methods.end(), [](const Member& method) {
    return method.name == "apply" &&
           method.descriptor.starts_with("(Lorg/apache/spark/sql/SparkSessionExtensions;)") &&
           (method.access & access::kStatic) == 0;
  });
}

// A class stands where its name says, below META-INF/versions or in a shim folder; anywhere else no
// class loader finds it by its name.
void RunScanner::check_place(const JarFile& jar, const JarEntry& entry, RunFacts& out) const {
  std::string_view path = entry.name;
  if (const auto versioned = versioned_name(path)) path = versioned->name;
  path.remove_suffix(std::min(kClass.size(), path.size()));
  const std::string_view name = file_.this_name;
  if (path != name) {
    const std::size_t prefix = path.size() < name.size() ? 0 : path.size() - name.size();
    if (prefix > 0 && path[prefix - 1] == '/' && path.ends_with(name)) {
      add_shim(out.shims, path.substr(0, prefix));
    } else {
      out.findings.push_back(finding_of("RG1007", jar, entry,
                                        {ErrorCode::malformed,
                                         fmt::format("the class file holds {}", dotted(name)),
                                         {},
                                         {},
                                         {}}));
    }
  }
  if (const std::string_view local = jar.local_name(entry); local != entry.name)
    out.findings.push_back(
        finding_of("RG1006", jar, entry,
                   {ErrorCode::malformed,
                    fmt::format("the local header names the entry {}", base::printable(local)),
                    {},
                    entry.header_offset,
                    {}}));
}

void RunScanner::read_text(const JarFile& jar, std::uint32_t index, RunFacts& out) {
  const JarEntry& entry = jar.entries()[index];
  const auto bytes = reader_.read(jar, entry, kMaxTextBytes);
  if (!bytes) {
    out.findings.push_back(finding_of("RG1002", jar, entry, bytes.error()));
    return;
  }
  const std::string_view text = base::as_text(*bytes);
  if (is_service(entry.name))
    out.services.push_back(
        {std::string(entry.name.substr(kServices.size())), parse_providers(text)});
  else
    out.poms.push_back(parse_pom_properties(text));
}

}  // namespace rowgate::jarscan
