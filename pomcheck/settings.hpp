// Maven's settings.xml: mirrors, servers, proxies, profiles' repositories.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pomcheck/http_client.hpp"

namespace rowgate::pomcheck {

// What ${…} in settings.xml may refer to.
struct SettingsVariables {
  std::map<std::string, std::string> environment;  // ${env.NAME}
  std::map<std::string, std::string> properties;   // ${user.home}
};

struct SettingsMirror {
  std::string id, url, mirror_of;
  std::string layouts = "default";  // mirrorOfLayouts
  bool blocked = false;
};

struct SettingsServer {
  std::string id, username;
  std::string password;             // perhaps still encrypted
  std::vector<HttpHeader> headers;  // configuration/httpHeaders, never for another origin
};

struct SettingsProxy {
  std::string id, protocol = "http", host, username;
  std::string password;  // perhaps still encrypted
  std::string non_proxy_hosts;
  std::uint16_t port = 8080;
  bool active = true;
};

struct SettingsRepository {
  std::string id, url, layout = "default";
  bool releases = true;
  bool snapshots = true;
};

struct SettingsProfile {
  std::string id;
  bool active_by_default = false;
  bool activated = false;  // by a property, or a file's presence, under the given variables
  // Activation by jdk or os is not evaluated: such a profile counts as inactive unless listed.
  bool undecided = false;
  std::vector<SettingsRepository> repositories;
};

struct Settings {
  std::optional<std::filesystem::path> local_repository;
  std::optional<bool> offline;
  std::vector<SettingsMirror> mirrors;
  std::vector<SettingsServer> servers;
  std::vector<SettingsProxy> proxies;
  std::vector<SettingsProfile> profiles;
  std::vector<std::string> active_profiles;

  const SettingsServer* server(std::string_view id) const;
  // Of the active profiles, in the order that Maven asks them: a later profile's come first.
  std::vector<SettingsRepository> active_repositories() const;
};

// `file` names the text in errors. ${…} is replaced once; what is undefined stays literal, as in
// Maven. Elements that are not known are ignored. Errors: malformed (with the offset), limit (4
// MiB).
Result<Settings> parse_settings(std::string_view text, const std::filesystem::path& file,
                                const SettingsVariables& variables);

// A missing file gives empty settings. Errors also: io.
Result<Settings> read_settings(const std::filesystem::path& file,
                               const SettingsVariables& variables);

// What the user's file says wins; lists are joined by id, the user's first.
Settings merge_settings(Settings user, Settings global);

std::string interpolate_settings(std::string_view text, const SettingsVariables& variables);

}  // namespace rowgate::pomcheck
