#include "pomcheck/http_proxy.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

bool matches_any(const std::string& patterns, const std::string& host) {
  for (std::string_view pattern : base::split(patterns, '|'))
    if (pattern = base::trim(pattern);
        !pattern.empty() && base::matches_glob(base::to_lower(pattern), host))
      return true;
  return false;
}

// ".corp.example" and "corp.example" cover the domain and all below it; "*" covers everything.
bool excluded(const std::string& no_proxy, const std::string& host) {
  for (std::string_view name : base::split(no_proxy, ',')) {
    std::string domain = base::to_lower(base::trim(name));
    if (domain == "*") return true;
    if (domain.starts_with('.')) domain.erase(0, 1);
    if (domain.empty()) continue;
    if (host == domain || host.ends_with("." + domain)) return true;
  }
  return false;
}

std::string first_set(const std::map<std::string, std::string>& environment,
                      std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto found = environment.find(name);
        found != environment.end() && !found->second.empty())
      return found->second;
  return {};
}

Result<std::optional<Proxy>> parse_proxy(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::string url = text.find("://") == std::string::npos ? "http://" + text : text;
  auto parsed = parse_repository_url(url);
  if (!parsed || parsed->url.scheme != "http")
    return fail(ErrorCode::unsupported, "the proxy named in the environment is not supported",
                "https_proxy", std::nullopt, "give http://host:port");
  return Proxy{parsed->url.host, parsed->url.port, std::move(parsed->credentials)};
}

}  // namespace

ProxySelector select_by_rules(std::vector<ProxyRule> rules) {
  return [rules = std::move(rules)](const Url& url) -> std::optional<Proxy> {
    const auto find = [&](std::string_view protocol) {
      return std::find_if(rules.begin(), rules.end(), [&](const ProxyRule& rule) {
        return rule.protocol == protocol && !matches_any(rule.non_proxy_hosts, url.host);
      });
    };
    auto rule = find(url.scheme);
    if (rule == rules.end() && url.scheme == "https") rule = find("http");
    if (rule == rules.end()) return std::nullopt;
    return rule->proxy;
  };
}

Result<ProxySelector> select_by_environment(const std::map<std::string, std::string>& environment) {
  // HTTP_PROXY in capitals is left alone: in CGI programs a client's header sets it.
  ROWGATE_TRY(std::optional<Proxy> for_https,
              parse_proxy(first_set(environment,
                                    {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})));
  ROWGATE_TRY(std::optional<Proxy> for_http,
              parse_proxy(first_set(environment, {"http_proxy", "all_proxy", "ALL_PROXY"})));
  std::string no_proxy = first_set(environment, {"no_proxy", "NO_PROXY"});
  return ProxySelector([for_https = std::move(for_https), for_http = std::move(for_http),
                        no_proxy = std::move(no_proxy)](const Url& url) -> std::optional<Proxy> {
    if (excluded(no_proxy, url.host)) return std::nullopt;
    return url.scheme == "https" ? for_https : for_http;
  });
}

}  // namespace rowgate::pomcheck
