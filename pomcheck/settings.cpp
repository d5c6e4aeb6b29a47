// The fields and their defaults are those of Maven's settings model 1.2.0; merging and profile
// activation follow Maven 3.9's DefaultSettingsBuilder, MavenSettingsMerger and
// DefaultProfileSelector.
#include "pomcheck/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>

#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxValueBytes = 64 * 1024;

class Reader {
 public:
  Reader(const SettingsVariables& variables) : variables_(variables) {}

  // All character data of a child, trimmed and interpolated; "" when there is no such child.
  std::string text(const pugi::xml_node& parent, const char* name) const {
    std::string raw;
    for (const pugi::xml_node& piece : parent.child(name).children())
      if (piece.type() == pugi::node_pcdata || piece.type() == pugi::node_cdata)
        raw += piece.value();
    return interpolate_settings(base::trim(raw), variables_);
  }

  std::string text_or(const pugi::xml_node& parent, const char* name, const char* fallback) const {
    std::string value = text(parent, name);
    return value.empty() ? fallback : value;
  }

  // As java.lang.Boolean.parseBoolean: only "true" is true.
  bool flag(const pugi::xml_node& parent, const char* name, bool fallback) const {
    const std::string value = text(parent, name);
    return value.empty() ? fallback : base::equals_ignoring_case(value, "true");
  }

  const SettingsVariables& variables() const { return variables_; }

 private:
  const SettingsVariables& variables_;
};

// Whatever could break out of a header's line is dropped with its header.
bool is_header(const HttpHeader& header) {
  const auto plain = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
  };
  return !header.name.empty() && header.name.find_first_of(": ") == std::string::npos &&
         plain(header.name) && plain(header.value);
}

std::vector<HttpHeader> headers_of(const pugi::xml_node& configuration, const Reader& reader) {
  std::vector<HttpHeader> headers;
  const auto add_from = [&](const pugi::xml_node& list) {
    for (const pugi::xml_node& property : list.children("property")) {
      HttpHeader header{reader.text(property, "name"), reader.text(property, "value")};
      if (is_header(header)) headers.push_back(std::move(header));
    }
  };
  add_from(configuration.child("httpHeaders"));
  // The older way of Maven's wagon.
  add_from(configuration.child("httpConfiguration").child("all").child("headers"));
  add_from(configuration.child("httpConfiguration").child("get").child("headers"));
  return headers;
}

SettingsMirror mirror_of(const pugi::xml_node& node, const Reader& reader) {
  SettingsMirror mirror;
  mirror.id = reader.text_or(node, "id", "default");
  mirror.url = reader.text(node, "url");
  mirror.mirror_of = reader.text(node, "mirrorOf");
  mirror.layouts = reader.text_or(node, "mirrorOfLayouts", "default");
  mirror.blocked = reader.flag(node, "blocked", false);
  return mirror;
}

SettingsServer server_of(const pugi::xml_node& node, const Reader& reader) {
  SettingsServer server;
  server.id = reader.text_or(node, "id", "default");
  server.username = reader.text(node, "username");
  server.password = reader.text(node, "password");
  server.headers = headers_of(node.child("configuration"), reader);
  return server;
}

Result<SettingsProxy> proxy_of(const pugi::xml_node& node, const Reader& reader,
                               const fs::path& file) {
  SettingsProxy proxy;
  proxy.id = reader.text_or(node, "id", "default");
  proxy.protocol = base::to_lower(reader.text_or(node, "protocol", "http"));
  proxy.host = reader.text(node, "host");
  proxy.username = reader.text(node, "username");
  proxy.password = reader.text(node, "password");
  proxy.non_proxy_hosts = reader.text(node, "nonProxyHosts");
  proxy.active = reader.flag(node, "active", true);
  const std::string port = reader.text_or(node, "port", "8080");
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), proxy.port);
  if (error != std::errc() || end != port.data() + port.size() || proxy.port == 0)
    return fail(ErrorCode::malformed, fmt::format("proxy {} has no valid port", proxy.id),
                file.string(), static_cast<std::uint64_t>(node.offset_debug()));
  return proxy;
}

SettingsRepository repository_of(const pugi::xml_node& node, const Reader& reader) {
  SettingsRepository repository;
  repository.id = reader.text(node, "id");
  repository.url = reader.text(node, "url");
  repository.layout = reader.text_or(node, "layout", "default");
  repository.releases = reader.flag(node.child("releases"), "enabled", true);
  repository.snapshots = reader.flag(node.child("snapshots"), "enabled", true);
  return repository;
}

// name | !name, with or without a value; env.X looks into the environment.
bool property_holds(const pugi::xml_node& node, const Reader& reader) {
  std::string name = reader.text(node, "name");
  const std::string wanted = reader.text(node, "value");
  const bool negated = name.starts_with('!');
  if (negated) name.erase(0, 1);
  const bool in_environment = name.starts_with("env.");
  const auto& map = in_environment ? reader.variables().environment : reader.variables().properties;
  const auto found = map.find(in_environment ? name.substr(4) : name);
  const bool present = found != map.end() && !found->second.empty();
  if (wanted.empty()) return present != negated;
  const bool value_negated = wanted.starts_with('!');
  const bool equal = present && found->second == wanted.substr(value_negated ? 1 : 0);
  return equal != value_negated;
}

SettingsProfile profile_of(const pugi::xml_node& node, const Reader& reader) {
  SettingsProfile profile;
  profile.id = reader.text_or(node, "id", "default");
  const pugi::xml_node activation = node.child("activation");
  profile.active_by_default = reader.flag(activation, "activeByDefault", false);
  profile.undecided = activation.child("jdk") || activation.child("os");
  const pugi::xml_node property = activation.child("property"), file = activation.child("file");
  bool holds = (property || file) && !profile.undecided;
  if (property) holds = holds && property_holds(property, reader);
  if (file) {
    const std::string exists = reader.text(file, "exists"), missing = reader.text(file, "missing");
    std::error_code ignored;
    holds = holds && (exists.empty() || fs::exists(exists, ignored)) &&
            (missing.empty() || !fs::exists(missing, ignored)) &&
            !(exists.empty() && missing.empty());
  }
  profile.activated = holds;
  for (const pugi::xml_node& repository : node.child("repositories").children("repository"))
    profile.repositories.push_back(repository_of(repository, reader));
  return profile;
}

template <class Item>
void append_new(std::vector<Item>& items, std::vector<Item>&& more) {
  for (Item& item : more)
    if (std::none_of(items.begin(), items.end(),
                     [&](const Item& known) { return known.id == item.id; }))
      items.push_back(std::move(item));
}

}  // namespace

std::string interpolate_settings(std::string_view text, const SettingsVariables& variables) {
  std::string result;
  while (true) {
    const std::size_t start = text.find("${");
    const std::size_t end = start == std::string_view::npos ? start : text.find('}', start);
    if (end == std::string_view::npos) return result += text;
    const std::string name(text.substr(start + 2, end - start - 2));
    const bool in_environment = name.starts_with("env.");
    const auto& map = in_environment ? variables.environment : variables.properties;
    const auto found = map.find(in_environment ? name.substr(4) : name);
    result += text.substr(0, start);
    if (found != map.end() && result.size() + found->second.size() <= kMaxValueBytes)
      result += found->second;
    else
      result += text.substr(start, end + 1 - start);
    text.remove_prefix(end + 1);
  }
}

const SettingsServer* Settings::server(std::string_view id) const {
  for (const SettingsServer& server : servers)
    if (server.id == id) return &server;
  return nullptr;
}

std::vector<SettingsRepository> Settings::active_repositories() const {
  std::vector<const SettingsProfile*> active;
  for (const SettingsProfile& profile : profiles)
    if (profile.activated || std::find(active_profiles.begin(), active_profiles.end(),
                                       profile.id) != active_profiles.end())
      active.push_back(&profile);
  if (active.empty())
    for (const SettingsProfile& profile : profiles)
      if (profile.active_by_default) active.push_back(&profile);
  std::vector<SettingsRepository> repositories;
  for (auto profile = active.rbegin(); profile != active.rend(); ++profile) {
    std::vector<SettingsRepository> own = (*profile)->repositories;
    append_new(repositories, std::move(own));
  }
  return repositories;
}

Result<Settings> parse_settings(std::string_view text, const fs::path& file,
                                const SettingsVariables& variables) {
  if (text.size() > kMaxBytes) return fail(ErrorCode::limit, "is larger than 4 MiB", file.string());
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed)
    return fail(ErrorCode::malformed,
                fmt::format("is not well-formed XML: {}", base::to_lower(parsed.description())),
                file.string(),
                static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(parsed.offset, 0)),
                "correct the file; `mvn help:effective-settings` checks it too");
  const pugi::xml_node root = document.child("settings");
  if (!root)
    return fail(ErrorCode::malformed, "has no <settings> element", file.string(), std::nullopt,
                "give Maven's settings.xml");
  const Reader reader(variables);
  Settings settings;
  if (std::string folder = reader.text(root, "localRepository"); !folder.empty())
    settings.local_repository = std::move(folder);
  if (root.child("offline")) settings.offline = reader.flag(root, "offline", false);
  for (const pugi::xml_node& node : root.child("mirrors").children("mirror"))
    settings.mirrors.push_back(mirror_of(node, reader));
  for (const pugi::xml_node& node : root.child("servers").children("server"))
    settings.servers.push_back(server_of(node, reader));
  for (const pugi::xml_node& node : root.child("proxies").children("proxy")) {
    ROWGATE_TRY(SettingsProxy proxy, proxy_of(node, reader, file));
    settings.proxies.push_back(std::move(proxy));
  }
  for (const pugi::xml_node& node : root.child("profiles").children("profile"))
    settings.profiles.push_back(profile_of(node, reader));
  for (const pugi::xml_node& node : root.child("activeProfiles").children("activeProfile"))
    if (const std::string_view id = base::trim(node.text().get()); !id.empty())
      settings.active_profiles.push_back(interpolate_settings(id, variables));
  return settings;
}

Result<Settings> read_settings(const fs::path& file, const SettingsVariables& variables) {
  if (file.empty()) return Settings{};
  const auto text = base::read_file(file, kMaxBytes);
  if (!text && text.error().code == ErrorCode::not_found) return Settings{};
  if (!text) return tl::unexpected<Error>(text.error());
  return parse_settings(*text, file, variables);
}

Settings merge_settings(Settings user, Settings global) {
  if (!user.local_repository) user.local_repository = std::move(global.local_repository);
  if (!user.offline) user.offline = global.offline;
  append_new(user.mirrors, std::move(global.mirrors));
  append_new(user.servers, std::move(global.servers));
  append_new(user.proxies, std::move(global.proxies));
  append_new(user.profiles, std::move(global.profiles));
  for (std::string& id : global.active_profiles)
    if (std::find(user.active_profiles.begin(), user.active_profiles.end(), id) ==
        user.active_profiles.end())
      user.active_profiles.push_back(std::move(id));
  return user;
}

}  // namespace rowgate::pomcheck
