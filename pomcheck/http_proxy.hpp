// Which proxy a host is reached through: settings.xml's, else the environment's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pomcheck/http_client.hpp"

namespace rowgate::pomcheck {

// One entry of settings.xml, its password decrypted.
struct ProxyRule {
  std::string protocol;         // of the URLs that it serves: "http", "https"
  std::string non_proxy_hosts;  // "localhost|*.corp.example"
  Proxy proxy;
};

// As Maven's resolver selects: the first proxy of the URL's protocol whose nonProxyHosts do not
// match the host; an http proxy serves https where there is none of its own.
ProxySelector select_by_rules(std::vector<ProxyRule> rules);

// https_proxy, HTTPS_PROXY, http_proxy, all_proxy, ALL_PROXY and no_proxy, NO_PROXY, as curl reads
// them. Errors: usage, unsupported (a proxy that is not http://); they quote no password.
Result<ProxySelector> select_by_environment(const std::map<std::string, std::string>& environment);

}  // namespace rowgate::pomcheck
