// settings.xml, its mirrors' patterns, and passwords: what they hold is free text from a user's
// disk.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pomcheck/mirror.hpp"
#include "pomcheck/password.hpp"
#include "pomcheck/settings.hpp"

using namespace rowgate::pomcheck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const SettingsVariables variables{{{"TOKEN", "${env.TOKEN}"}}, {{"user.home", "/home/ann"}}};
  const auto settings = parse_settings(text, "settings.xml", variables);
  if (!settings) return 0;
  const Url central{"https", "central.example", 443, "/maven2", ""};
  (void)find_mirror(settings->mirrors, "central", central);
  for (const SettingsMirror& mirror : settings->mirrors) (void)parse_repository_url(mirror.url);
  for (const SettingsRepository& repository : settings->active_repositories())
    (void)parse_repository_url(repository.url);
  for (const SettingsServer& server : settings->servers) {
    (void)decrypt_password(server.password, "settings.security");
    // A header must never be able to end its line.
    for (const HttpHeader& header : server.headers)
      if (header.value.find_first_of("\r\n") != std::string::npos) std::abort();
  }
  const Settings merged = merge_settings(*settings, *settings);
  if (merged.mirrors.size() < settings->mirrors.size()) std::abort();
  return 0;
}
