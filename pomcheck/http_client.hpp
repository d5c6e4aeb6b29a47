// HTTP requests, many at once, over one pool of connections (libcurl's multi interface).
//
// One thread of the client's own drives all transfers; callers hand it a batch and wait. Redirects
// are followed here rather than by libcurl, so that credentials and private headers go to the
// origin they were meant for and to no other, and never from https to http. TLS certificates are
// always verified. The environment's proxy variables and .netrc are not read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "pomcheck/checksum.hpp"
#include "pomcheck/http_limits.hpp"
#include "pomcheck/http_url.hpp"

namespace rowgate::pomcheck {

struct HttpHeader {
  std::string name;
  std::string value;
};

// An HTTP proxy; https goes through it by CONNECT.
struct Proxy {
  std::string host;
  std::uint16_t port = 80;
  Credentials credentials;
};

// Which proxy a URL is reached through. Called from the client's thread.
using ProxySelector = std::function<std::optional<Proxy>(const Url&)>;

enum class HttpMethod : std::uint8_t { get, head };

struct HttpRequest {
  HttpMethod method = HttpMethod::get;
  Url url;
  Credentials credentials;                  // for url's origin only
  std::vector<HttpHeader> private_headers;  // for url's origin only
  std::vector<HttpHeader> headers;          // sent with every hop
  int sink = -1;  // an open file that takes a 200's body, from its start; -1: HttpResponse::body
  std::uint64_t max_bytes = 0;  // of the decoded body
  Milliseconds deadline{0};     // of one attempt
  std::string progress_label;   // large transfers show under it; empty: none
};

struct HttpResponse {
  int status = 0;
  std::string body;              // of a 200 without a sink
  std::uint64_t size_bytes = 0;  // of a 200's decoded body
  std::string sha1, sha256;      // of a 200's body
  std::string etag, last_modified, content_type;
  std::optional<std::uint64_t> content_length;
  std::vector<PublishedChecksum> checksums;  // from headers, of any hop
};

// Told about each request of a batch as it ends: its place in the batch, and its answer.
// Must not throw.
using HttpDone = std::function<void(std::size_t, Result<HttpResponse>)>;

// Thread-safe.
class HttpClient {
 public:
  // An empty `ca_file` means the system's certificates.
  HttpClient(HttpLimits limits, ProxySelector proxy_for, std::string ca_file);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // answers[i] belongs to requests[i]: the final response, whatever its status, after redirects and
  // retries. Errors: network (unreachable, cut off, timed out, a bad redirect), limit, io (the
  // sink), malformed (encoding), interrupted. No error holds credentials or a redirect's query.
  std::vector<Result<HttpResponse>> perform(std::span<const HttpRequest> requests,
                                            const RunContext& context);

  // The same, but each answer is handed over as soon as it is there, in the caller's thread, while
  // the other requests go on. Returns after the last.
  void perform(std::span<const HttpRequest> requests, const RunContext& context,
               const HttpDone& done);

  const HttpLimits& limits() const;
  // Requests put on the wire so far, retries and redirects included.
  std::uint64_t requests_sent() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

// Seconds or an HTTP date; nullopt when it is neither. Never negative.
std::optional<Milliseconds> parse_retry_after(std::string_view value, base::WallTime now);

}  // namespace rowgate::pomcheck
