#include "pomcheck/http_url.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

using CurlUrl = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::optional<std::string> part(CURLU* url, CURLUPart what, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, what, &text, flags) != CURLUE_OK) return std::nullopt;
  std::string value = text;
  curl_free(text);
  return value;
}

bool is_web(std::string_view scheme) {
  return scheme == "http" || scheme == "https";
}

std::optional<Url> take_apart(CURLU* parsed) {
  Url url;
  url.scheme = base::to_lower(part(parsed, CURLUPART_SCHEME).value_or(""));
  url.host = base::to_lower(part(parsed, CURLUPART_HOST).value_or(""));
  url.path = part(parsed, CURLUPART_PATH).value_or("");
  url.query = part(parsed, CURLUPART_QUERY).value_or("");
  if (!is_web(url.scheme)) return url;
  const std::string port = part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT).value_or("");
  std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (url.host.empty() || url.port == 0) return std::nullopt;
  return url;
}

Result<RepositoryUrl> from_folder(std::string_view text) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(std::filesystem::path(text), error);
  if (error) return fail(ErrorCode::usage, "is no folder", base::printable(text));
  RepositoryUrl repository;
  repository.url.scheme = "file";
  repository.url.path = encode_path(folder.lexically_normal().string());
  while (repository.url.path.ends_with('/')) repository.url.path.pop_back();
  return repository;
}

}  // namespace

std::string Url::origin() const {
  const bool default_port =
      (scheme == "http" && port == 80) || (scheme == "https" && port == 443) || port == 0;
  return default_port ? fmt::format("{}://{}", scheme, host)
                      : fmt::format("{}://{}:{}", scheme, host, port);
}

std::string Url::to_string() const {
  return origin() + path + (query.empty() ? "" : "?" + query);
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      decoded += static_cast<char>(value);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::string encode_path(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/+!$&'()*,;=:@";
  std::string encoded;
  for (char c : path) {
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (alphanumeric || kPlain.find(c) != std::string_view::npos)
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

Result<RepositoryUrl> parse_repository_url(std::string_view text) {
  text = base::trim(text);
  constexpr const char* kRemedy = "give http://…, https://…, file:///… or a folder";
  if (text.empty()) return fail(ErrorCode::usage, "the repository's URL is empty", "", {}, kRemedy);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.front() == '/' || text.front() == '.')
    return from_folder(text);
  const std::string scheme = base::to_lower(text.substr(0, colon));
  if (!is_web(scheme) && scheme != "file")
    return fail(ErrorCode::unsupported, "a repository of this protocol is not supported",
                base::printable(scheme.substr(0, 20)), {}, kRemedy);
  if (scheme == "file") {
    // "file:/srv/m2", "file:///srv/m2" and "file://localhost/srv/m2" are all in use.
    std::string_view path = text.substr(colon + 1);
    if (path.starts_with("//localhost/"))
      path.remove_prefix(11);
    else if (path.starts_with("//"))
      path.remove_prefix(2);
    if (!path.starts_with('/'))
      return fail(ErrorCode::usage, "a file URL needs an absolute path", base::printable(text), {},
                  "write file:///folder");
    return from_folder(percent_decode(path));
  }
  const CurlUrl parsed(curl_url(), &curl_url_cleanup);
  const std::string copy(text);
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, copy.c_str(), 0) != CURLUE_OK)
    return fail(ErrorCode::usage, "the repository's URL is malformed", scheme + "://…", {},
                kRemedy);
  auto url = take_apart(parsed.get());
  if (!url)
    return fail(ErrorCode::usage, "the repository's URL has no host", scheme + "://…", {}, kRemedy);
  if (!url->query.empty() || part(parsed.get(), CURLUPART_FRAGMENT))
    return fail(ErrorCode::usage, "a repository's URL has neither ? nor #", url->origin() + "/…",
                {}, "give the folder that holds org/, com/, io/");
  while (url->path.ends_with('/')) url->path.pop_back();
  RepositoryUrl repository;
  repository.url = std::move(*url);
  repository.credentials.username =
      part(parsed.get(), CURLUPART_USER, CURLU_URLDECODE).value_or("");
  repository.credentials.password =
      part(parsed.get(), CURLUPART_PASSWORD, CURLU_URLDECODE).value_or("");
  return repository;
}

Result<Url> resolve_redirect(const Url& base, std::string_view location) {
  const auto refuse = [&](std::string message) {
    return fail(ErrorCode::network, std::move(message), base.origin() + base.path);
  };
  const CurlUrl parsed(curl_url(), &curl_url_cleanup);
  const std::string target(base::trim(location));
  if (target.empty()) return refuse("the server redirects without saying where to");
  if (!parsed ||
      curl_url_set(parsed.get(), CURLUPART_URL, base.to_string().c_str(), 0) != CURLUE_OK ||
      curl_url_set(parsed.get(), CURLUPART_URL, target.c_str(), CURLU_URLENCODE) != CURLUE_OK)
    return refuse("the server redirects to something that is no http or https URL");
  auto url = take_apart(parsed.get());
  if (!url || !is_web(url->scheme))
    return refuse("the server redirects to something that is no http or https URL");
  return std::move(*url);
}

bool is_local(const Url& url) {
  return url.scheme == "file" || url.host == "localhost" || url.host == "127.0.0.1";
}

}  // namespace rowgate::pomcheck
