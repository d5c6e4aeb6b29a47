// From configuration to repositories, in this order: settings.xml; the list of remote repositories
// (explicit ones, or the active profiles' and central); mirrors; credentials; the proxy selector.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/central.hpp"
#include "pomcheck/http_proxy.hpp"
#include "pomcheck/http_repository.hpp"
#include "pomcheck/http_url.hpp"
#include "pomcheck/mirror.hpp"
#include "pomcheck/password.hpp"
#include "pomcheck/repository_set.hpp"
#include "pomcheck/repository_unavailable.hpp"
#include "pomcheck/settings.hpp"

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

struct Remote {
  std::string id;
  RepositoryUrl address;
  bool releases = true;
  bool snapshots = true;
  std::optional<Error> unavailable;
};

// "id=URL" or "URL". An id has none of a URL's characters.
std::pair<std::string, std::string> split_id(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || text.find_first_of(":/.@?") < equals)
    return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

class Opener {
 public:
  Opener(RepositoryConfig config, const RunContext& context)
      : config_(std::move(config)), context_(context) {}

  Result<RepositorySet> open() {
    ROWGATE_CHECK(read_all_settings());
    std::vector<std::shared_ptr<Repository>> repositories;
    open_local(repositories);
    ROWGATE_TRY(std::vector<Remote> remotes, list_remotes());
    for (const std::string& text : config_.more_repositories) {
      ROWGATE_TRY(Remote remote, explicit_remote(text));
      ROWGATE_TRY(remote, mirrored(std::move(remote)));
      add(remotes, std::move(remote));
    }
    for (const Remote& remote : remotes) {
      ROWGATE_TRY(auto repository, open_remote(remote));
      repositories.push_back(std::move(repository));
    }
    const bool only_placeholder = repositories.size() == 1 && remotes.size() == 1 && no_central_;
    if (only_placeholder) return tl::unexpected<Error>(*remotes.front().unavailable);
    return RepositorySet(std::move(repositories));
  }

 private:
  SettingsVariables variables() const { return {config_.environment, config_.system_properties}; }

  Result<void> read_all_settings() {
    fs::path global = config_.global_settings;
    if (global.empty() && !config_.maven_homes.empty())
      global = config_.maven_homes.front() / "conf" / "settings.xml";
    ROWGATE_TRY(Settings user, read_settings(config_.user_settings, variables()));
    ROWGATE_TRY(Settings shared, read_settings(global, variables()));
    settings_ = merge_settings(std::move(user), std::move(shared));
    if (settings_.offline.value_or(false)) config_.mode = CacheMode::offline;
    return {};
  }

  void open_local(std::vector<std::shared_ptr<Repository>>& repositories) {
    if (!config_.maven_local.empty()) {
      const fs::path folder = settings_.local_repository.value_or(config_.maven_local);
      // One that does not exist has nothing, and naming it in every answer would only puzzle.
      std::error_code ignored;
      if (fs::is_directory(folder, ignored))
        repositories.push_back(
            open_local_repository({folder, LocalLayout::maven_local, shown(folder)}));
    }
    for (LocalFolder& folder : config_.local_folders) {
      folder.id = shown(folder.id);
      repositories.push_back(open_local_repository(std::move(folder)));
    }
  }

  // A path below the user's home as people write it: "~/.m2/repository".
  std::string shown(const fs::path& path) const {
    const auto home = config_.system_properties.find("user.home");
    const std::string text = path.string();
    if (home == config_.system_properties.end() || home->second.size() < 2 ||
        !text.starts_with(home->second + "/"))
      return text;
    return "~" + text.substr(home->second.size());
  }

  Result<std::vector<Remote>> list_remotes() {
    std::vector<Remote> remotes;
    if (!config_.repositories.empty()) {
      for (const std::string& text : config_.repositories) {
        ROWGATE_TRY(Remote remote, explicit_remote(text));
        add(remotes, std::move(remote));
      }
      return remotes;
    }
    bool has_central = false;
    for (const SettingsRepository& repository : settings_.active_repositories()) {
      has_central = has_central || repository.id == "central";
      ROWGATE_TRY(Remote remote, listed_remote(repository));
      add(remotes, std::move(remote));
    }
    if (!has_central) {
      ROWGATE_TRY(Remote central, central_remote());
      add(remotes, std::move(central));
    }
    return remotes;
  }

  // A mirror may stand in for several repositories; it is asked once, for all that they serve.
  static void add(std::vector<Remote>& remotes, Remote remote) {
    for (Remote& known : remotes) {
      if (known.unavailable || remote.unavailable || known.address.url != remote.address.url)
        continue;
      known.releases = known.releases || remote.releases;
      known.snapshots = known.snapshots || remote.snapshots;
      return;
    }
    remotes.push_back(std::move(remote));
  }

  Result<Remote> explicit_remote(const std::string& text) {
    auto [id, address] = split_id(text);
    Remote remote;
    ROWGATE_TRY(remote.address, parse_repository_url(address));
    remote.id = id.empty() ? id_for(remote.address.url) : id;
    return remote;
  }

  // The id under which settings.xml knows this URL, so that its credentials are found; else the
  // host.
  std::string id_for(const Url& url) const {
    const auto same = [&](const std::string& text) {
      const auto parsed = parse_repository_url(text);
      return parsed && parsed->url == url;
    };
    for (const SettingsMirror& mirror : settings_.mirrors)
      if (same(mirror.url)) return mirror.id;
    for (const SettingsProfile& profile : settings_.profiles)
      for (const SettingsRepository& repository : profile.repositories)
        if (same(repository.url)) return repository.id;
    return url.scheme == "file" ? percent_decode(url.path) : url.host;
  }

  Result<Remote> listed_remote(const SettingsRepository& repository) {
    const std::string what = fmt::format("repository {} of settings.xml", repository.id);
    Remote remote{repository.id, {}, repository.releases, repository.snapshots, {}};
    auto address = parse_repository_url(repository.url);
    if (!address) {
      address.error().subject = fmt::format("{}: {}", what, address.error().subject);
      return tl::unexpected<Error>(std::move(address.error()));
    }
    remote.address = std::move(*address);
    if (repository.layout != "default")
      remote.unavailable =
          Error{ErrorCode::unsupported,
                fmt::format("{} has the layout {}, which is not supported", what,
                            base::printable(repository.layout)),
                "", std::nullopt, "remove the repository or give another with --repository"};
    return mirrored(std::move(remote));
  }

  Result<Remote> central_remote() {
    Remote remote{"central", {}, true, false, {}};
    auto central = find_central(config_.maven_homes);
    if (central) {
      auto address = parse_repository_url(central->url);
      if (!address) {
        address.error().subject = central->found_in.string();
        return tl::unexpected<Error>(std::move(address.error()));
      }
      remote.address = std::move(*address);
      context_.debug(fmt::format("central is {} (super POM in {})", remote.address.url.to_string(),
                                 central->found_in.string()));
    } else {
      // Mirror patterns need to know only that it is not on this machine.
      remote.address.url = Url{"https", "central", 443, "", ""};
      remote.unavailable = std::move(central.error());
      remote.unavailable->code = ErrorCode::usage;
    }
    no_central_ = remote.unavailable.has_value();
    ROWGATE_TRY(Remote result, mirrored(std::move(remote)));
    no_central_ = no_central_ && result.unavailable.has_value();
    return result;
  }

  Result<Remote> mirrored(Remote remote) {
    const SettingsMirror* mirror = find_mirror(settings_.mirrors, remote.id, remote.address.url);
    if (mirror == nullptr) return remote;
    const std::string what = fmt::format("mirror {} of settings.xml", mirror->id);
    if (mirror->blocked) {
      remote.unavailable = Error{
          ErrorCode::network,
          fmt::format("repository {} ({}) is blocked by {}", remote.id,
                      remote.address.url.to_string(), what),
          "", std::nullopt,
          "use its https address, or name it with --repository if plain http is really meant"};
      return remote;
    }
    auto address = parse_repository_url(mirror->url);
    if (!address) {
      address.error().subject = fmt::format("{}: {}", what, address.error().subject);
      return tl::unexpected<Error>(std::move(address.error()));
    }
    context_.debug(fmt::format("repository {} is mirrored by {}", remote.id, mirror->id));
    remote.id = mirror->id;
    remote.address = std::move(*address);
    remote.unavailable.reset();
    return remote;
  }

  Result<std::string> plain_password(const std::string& text, const std::string& whose) {
    if (text.find("${env.") != std::string::npos)
      context_.warn(fmt::format("{}: its password refers to a variable that is not set", whose));
    if (!is_encrypted(text)) return text;
    if (!master_password_) {
      ROWGATE_TRY(master_password_, read_master_password(config_.settings_security, variables()));
    }
    auto plain = decrypt_password(text, *master_password_);
    if (!plain) plain.error().subject = whose;
    return plain;
  }

  Result<Credentials> credentials_of(const Remote& remote) {
    if (!remote.address.credentials.empty()) return remote.address.credentials;
    const SettingsServer* server = settings_.server(remote.id);
    if (server == nullptr || (server->username.empty() && server->password.empty()))
      return Credentials{};
    ROWGATE_TRY(
        std::string password,
        plain_password(server->password, fmt::format("server {} of settings.xml", server->id)));
    return Credentials{server->username, std::move(password)};
  }

  Result<std::shared_ptr<Repository>> open_remote(const Remote& remote) {
    if (remote.unavailable)
      return std::shared_ptr<Repository>(unavailable_repository(remote.id, *remote.unavailable));
    const Url& url = remote.address.url;
    if (url.scheme == "file")
      return std::shared_ptr<Repository>(open_local_repository(
          {fs::path(percent_decode(url.path)), LocalLayout::maven, remote.id}));
    if (config_.cache_folder.empty())
      return fail(ErrorCode::usage, "a cache folder is needed for repositories over the network",
                  url.to_string());
    HttpRepositoryConfig http;
    http.id = remote.id;
    http.url = url;
    ROWGATE_TRY(http.credentials, credentials_of(remote));
    if (const SettingsServer* server = settings_.server(remote.id))
      http.private_headers = server->headers;
    http.mode = config_.mode;
    http.policy = config_.cache;
    http.releases = remote.releases;
    http.snapshots = remote.snapshots;
    if (url.scheme == "http" && !is_local(url) && !http.credentials.empty())
      context_.warn(
          fmt::format("{}: its credentials are sent unencrypted over http", url.to_string()));
    ROWGATE_CHECK(make_client());
    return std::shared_ptr<Repository>(
        open_http_repository(std::move(http), client_, config_.cache_folder));
  }

  // One client for all repositories: one pool of connections.
  Result<void> make_client() {
    if (client_) return {};
    ROWGATE_TRY(ProxySelector proxy_for, proxies());
    std::string ca_file;
    for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"})
      if (const auto found = config_.environment.find(name);
          found != config_.environment.end() && ca_file.empty())
        ca_file = found->second;
    client_ = std::make_shared<HttpClient>(config_.http, std::move(proxy_for), std::move(ca_file));
    return {};
  }

  Result<ProxySelector> proxies() {
    std::vector<ProxyRule> rules;
    for (const SettingsProxy& proxy : settings_.proxies) {
      if (!proxy.active || proxy.host.empty()) continue;
      ROWGATE_TRY(
          std::string password,
          plain_password(proxy.password, fmt::format("proxy {} of settings.xml", proxy.id)));
      rules.push_back({proxy.protocol,
                       proxy.non_proxy_hosts,
                       {proxy.host, proxy.port, {proxy.username, std::move(password)}}});
    }
    if (rules.empty()) return select_by_environment(config_.environment);
    return select_by_rules(std::move(rules));
  }

  RepositoryConfig config_;
  const RunContext& context_;
  Settings settings_;
  std::optional<std::string> master_password_;
  std::shared_ptr<HttpClient> client_;
  bool no_central_ = false;
};

}  // namespace

Result<RepositorySet> open_repositories(RepositoryConfig config, const RunContext& context) {
  return Opener(std::move(config), context).open();
}

}  // namespace rowgate::pomcheck
