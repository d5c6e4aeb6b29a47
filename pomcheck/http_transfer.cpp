// An attempt ends in one of four ways: a final response; a redirect, which is a new hop with fresh
// limits; a failure that may pass (refused, reset, cut short, 408, 429, 5xx), which is tried again
// after a delay; a failure that will not. Every way that goes on is counted (hops, attempts), so
// that a transfer ends after at most (max_redirects + 1) * (retries + 1) attempts of one deadline
// each.
#include "pomcheck/http_transfer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "base/text.hpp"
#include "base/version.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 256 * 1024;
constexpr std::uint64_t kMaxErrorPageBytes =
    1024 * 1024;  // read to keep the connection, not longer
constexpr std::uint64_t kProgressFromBytes = 1024 * 1024;

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool may_pass(long status) {
  return status == 408 || status == 429 || status >= 500;
}

bool may_pass(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_CONNECT_ERROR: return true;
    default: return false;
  }
}

bool is_unreachable(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
         code == CURLE_COULDNT_CONNECT;
}

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  // Only an option that this libcurl does not know can fail here; the build requires one that does.
  (void)curl_easy_setopt(easy, option, value);
}

}  // namespace

std::optional<Milliseconds> parse_retry_after(std::string_view value, base::WallTime now) {
  value = base::trim(value);
  constexpr std::int64_t kDay = 86'400;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error == std::errc() && end == value.data() + value.size() && seconds >= 0)
    return std::chrono::seconds(std::min(seconds, kDay));
  const auto date = base::from_http_date(value);
  if (!date) return std::nullopt;
  return std::chrono::seconds(
      std::clamp<std::int64_t>((*date - now).count(), std::int64_t{0}, kDay));
}

Transfer::Transfer(const HttpRequest& request, const RunContext& context,
                   const std::atomic<bool>& cancelled)
    : request_(request), context_(context), cancelled_(cancelled), current_(request.url) {
  visited_.insert(current_.to_string());
}

std::string Transfer::subject() const {
  return request_.url.origin() + request_.url.path;
}

CurlEasy Transfer::release() {
  header_list_.reset();
  return std::move(easy_);
}

void Transfer::reset_response() {
  response_ = HttpResponse{};
  location_.clear();
  retry_after_.clear();
  header_bytes_ = discarded_bytes_ = 0;
  sha1_.emplace(base::DigestKind::sha1);
  sha256_.emplace(base::DigestKind::sha256);
  own_error_.reset();
  body_abandoned_ = false;
  unreachable_ = false;
  curl_message_[0] = '\0';
}

Result<void> Transfer::prepare(CurlEasy handle, const TransferSettings& settings) {
  reset_response();
  if (request_.sink >= 0 &&
      (::ftruncate(request_.sink, 0) != 0 || ::lseek(request_.sink, 0, SEEK_SET) != 0))
    return fail(ErrorCode::io,
                "cannot empty the download's file: " + std::generic_category().message(errno),
                subject());
  easy_ = std::move(handle);
  CURL* easy = easy_.get();
  curl_easy_reset(easy);
  const HttpLimits& limits = *settings.limits;
  static const std::string kUserAgent = fmt::format("rowgate/{}", base::kVersion);

  set(easy, CURLOPT_URL, current_.to_string().c_str());
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_PATH_AS_IS, 1L);
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_NOBODY, request_.method == HttpMethod::head ? 1L : 0L);
  set(easy, CURLOPT_USERAGENT, kUserAgent.c_str());
  set(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Waiting for a connection that may turn out to multiplex pays over TLS, where its handshake
  // tells. Over plain http libcurl would wait for the first answer.
  set(easy, CURLOPT_PIPEWAIT, current_.scheme == "https" ? 1L : 0L);
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);

  set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!settings.ca_file.empty()) set(easy, CURLOPT_CAINFO, settings.ca_file.c_str());
  // libcurl keeps the certificates of a bundle for all connections, but reads them again for each
  // one (15 ms of CPU) where it has a folder of them too. The usual folder holds the same.
  const char* bundle = nullptr;
  curl_easy_getinfo(easy, CURLINFO_CAINFO, &bundle);
  if (bundle != nullptr) set(easy, CURLOPT_CAPATH, static_cast<const char*>(nullptr));

  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect_timeout.count()));
  set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.deadline.count()));
  const auto stall = std::chrono::ceil<std::chrono::seconds>(limits.stall_timeout);
  set(easy, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(limits.min_bytes_per_second));
  set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(stall.count()));

  // An empty proxy, not none: otherwise libcurl would look into the environment.
  const auto proxy = *settings.proxy_for ? (*settings.proxy_for)(current_) : std::nullopt;
  set(easy, CURLOPT_NOPROXY, "");
  set(easy, CURLOPT_PROXY, proxy ? proxy->host.c_str() : "");
  if (proxy) {
    set(easy, CURLOPT_PROXYPORT, static_cast<long>(proxy->port));
    set(easy, CURLOPT_PROXYTYPE, static_cast<long>(CURLPROXY_HTTP));
    if (!proxy->credentials.empty()) {
      set(easy, CURLOPT_PROXYUSERNAME, proxy->credentials.username.c_str());
      set(easy, CURLOPT_PROXYPASSWORD, proxy->credentials.password.c_str());
    }
  }

  const bool same_origin = current_.origin() == request_.url.origin();
  if (same_origin && !request_.credentials.empty()) {
    set(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    set(easy, CURLOPT_USERNAME, request_.credentials.username.c_str());
    set(easy, CURLOPT_PASSWORD, request_.credentials.password.c_str());
  }
  curl_slist* list = nullptr;
  const auto add = [&](const HttpHeader& header) {
    list = curl_slist_append(list, fmt::format("{}: {}", header.name, header.value).c_str());
  };
  for (const HttpHeader& header : request_.headers) add(header);
  if (same_origin)
    for (const HttpHeader& header : request_.private_headers) add(header);
  header_list_.reset(list);
  set(easy, CURLOPT_HTTPHEADER, list);
  set(easy, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));

  set(easy, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(easy, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(easy, CURLOPT_ERRORBUFFER, static_cast<char*>(curl_message_));
  set(easy, CURLOPT_PRIVATE, static_cast<void*>(this));
  return {};
}

long Transfer::status() const {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::size_t Transfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<Transfer*>(self)->take_header({data, size * count}) ? size * count : 0;
}

std::size_t Transfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<Transfer*>(self)->take_body({data, size * count}) ? size * count : 0;
}

bool Transfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeaderBytes) {
    own_error_ = Error{ErrorCode::limit, "the answer's headers are too large", subject(), {}, {}};
    return false;
  }
  if (line.starts_with("HTTP/")) {  // a new response: what an interim one (1xx) said is void
    response_ = HttpResponse{};
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string name = base::to_lower(line.substr(0, colon));
  const std::string_view value = base::trim(line.substr(colon + 1));
  if (auto checksum = checksum_from_header(name, value))
    response_.checksums.push_back(std::move(*checksum));
  if (name == "location")
    location_ = value;
  else if (name == "retry-after")
    retry_after_ = value;
  else if (name == "etag")
    response_.etag = value;
  else if (name == "last-modified")
    response_.last_modified = value;
  else if (name == "content-type")
    response_.content_type = value;
  else if (name == "content-length") {
    std::uint64_t length = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), length).ec == std::errc())
      response_.content_length = length;
  }
  return true;
}

bool Transfer::take_body(std::string_view piece) {
  if (cancelled()) return false;
  if (status() != 200) {
    discarded_bytes_ += piece.size();
    body_abandoned_ = discarded_bytes_ > kMaxErrorPageBytes;
    return !body_abandoned_;
  }
  response_.size_bytes += piece.size();
  if (response_.size_bytes > request_.max_bytes) {
    own_error_ = Error{ErrorCode::limit,
                       fmt::format("is larger than {}", base::human_bytes(request_.max_bytes)),
                       subject(),
                       {},
                       {}};
    return false;
  }
  sha1_->update(base::as_bytes(piece));
  sha256_->update(base::as_bytes(piece));
  return store(piece);
}

bool Transfer::store(std::string_view piece) {
  if (request_.sink < 0) {
    response_.body += piece;
    return true;
  }
  for (std::string_view rest = piece; !rest.empty();) {
    const ssize_t put = ::write(request_.sink, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      own_error_ = Error{ErrorCode::io,
                         "cannot write the download: " + std::generic_category().message(errno),
                         subject(),
                         {},
                         {}};
      return false;
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  if (request_.progress_label.empty() || response_.size_bytes < kProgressFromBytes) return true;
  if (!progress_) {
    progress_ = context_.progress->start(request_.progress_label, base::ProgressUnit::bytes,
                                         response_.content_length);
    progress_shown_ = 0;
  }
  if (response_.size_bytes > progress_shown_) {  // after a retry, bytes count once
    progress_->advance(response_.size_bytes - progress_shown_);
    progress_shown_ = response_.size_bytes;
  }
  return true;
}

Error Transfer::transport_error(CURLcode code, const HttpLimits& limits) {
  std::string reason = curl_message_[0] != '\0' ? curl_message_ : curl_easy_strerror(code);
  std::string remedy;
  if (code == CURLE_OPERATION_TIMEDOUT) {
    curl_off_t connected = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
    unreachable_ = connected == 0;
    const auto limit =
        unreachable_ ? std::min(limits.connect_timeout, request_.deadline) : request_.deadline;
    reason = fmt::format("the transfer was given up: {} (limit {} ms)", reason, limit.count());
    remedy = "try again later, or check the network and the proxy";
  } else if (is_unreachable(code)) {
    unreachable_ = true;
    remedy = "check the network, the proxy and the repository's URL";
  } else if (code == CURLE_PEER_FAILED_VERIFICATION) {
    remedy = "name the certificate authority's file in SSL_CERT_FILE if it is a private one";
  }
  const ErrorCode kind =
      code == CURLE_BAD_CONTENT_ENCODING ? ErrorCode::malformed : ErrorCode::network;
  return Error{kind, base::printable(reason), subject(), std::nullopt, std::move(remedy)};
}

Transfer::Next Transfer::finish(CURLcode code, const HttpLimits& limits, Instant now) {
  if (own_error_) {
    fail_with(std::move(*own_error_));
    return Next::done;
  }
  if (code != CURLE_OK && !body_abandoned_) {
    Error error = transport_error(code, limits);
    if (may_pass(code)) return retry_or_fail(std::move(error), limits, now);
    fail_with(std::move(error));
    return Next::done;
  }
  response_.status = static_cast<int>(status());
  if (is_redirect(response_.status)) return redirect(limits);
  if (may_pass(static_cast<long>(response_.status)) && attempt_ < limits.retries)
    return retry_or_fail({}, limits, now);
  if (response_.status == 200 && request_.method == HttpMethod::get) {
    response_.sha1 = sha1_->finish();
    response_.sha256 = sha256_->finish();
  }
  if (response_.checksums.empty()) response_.checksums = std::move(hop_checksums_);
  progress_.reset();
  outcome_ = std::move(response_);
  return Next::done;
}

Transfer::Next Transfer::retry_or_fail(Error error, const HttpLimits& limits, Instant now) {
  if (attempt_ >= limits.retries) {
    fail_with(std::move(error));
    return Next::done;
  }
  Milliseconds delay = limits.first_delay * (std::int64_t{1} << std::min(attempt_, 20U));
  if (!retry_after_.empty())
    delay = parse_retry_after(retry_after_, context_.clock->now()).value_or(delay);
  delay = std::min(delay, limits.max_delay);
  ++attempt_;
  not_before_ = now + delay;
  context_.debug(fmt::format(
      "{}: attempt {} failed ({}), the next in {} ms", subject(), attempt_,
      error.message.empty() ? fmt::format("HTTP {}", status()) : error.message, delay.count()));
  return Next::again;
}

Transfer::Next Transfer::redirect(const HttpLimits& limits) {
  const auto give_up = [&](std::string message) {
    fail_with(Error{ErrorCode::network, std::move(message), subject(), std::nullopt,
                    "give the repository's final URL"});
    return Next::done;
  };
  auto target = resolve_redirect(current_, location_);
  if (!target) {
    fail_with(std::move(target.error()));
    return Next::done;
  }
  if (current_.scheme == "https" && target->scheme == "http")
    return give_up(fmt::format("the server redirects from https to http ({})", target->origin()));
  if (!visited_.insert(target->to_string()).second)
    return give_up("the server redirects in a circle");
  if (visited_.size() > limits.max_redirects + 1)
    return give_up(fmt::format("the server redirects more than {} times", limits.max_redirects));
  for (PublishedChecksum& checksum : response_.checksums)
    hop_checksums_.push_back(std::move(checksum));
  current_ = std::move(*target);
  attempt_ = 0;
  not_before_ = {};
  return Next::again;
}

}  // namespace rowgate::pomcheck
