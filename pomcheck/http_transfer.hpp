// One request on its way: the easy handle's set-up, its callbacks, and what to do when it ends.
// Used by the client's loop only, from its thread.
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/digest.hpp"
#include "pomcheck/http_client.hpp"

namespace rowgate::pomcheck {

struct CurlEasyFree {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlEasy = std::unique_ptr<CURL, CurlEasyFree>;

struct CurlListFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

struct TransferSettings {
  const HttpLimits* limits;
  const ProxySelector* proxy_for;
  std::string ca_file;
};

class Transfer {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // `request`, `context` and `cancelled` outlive the transfer.
  Transfer(const HttpRequest& request, const RunContext& context,
           const std::atomic<bool>& cancelled);

  // Prepares `easy` for the next attempt or hop. Errors: io (the sink cannot be emptied).
  Result<void> prepare(CurlEasy easy, const TransferSettings& settings);
  CURL* handle() const { return easy_.get(); }
  CurlEasy release();  // the handle back, for another transfer

  // What the end of an attempt means. When it is not `done`, prepare() is due at `not_before()`.
  enum class Next : std::uint8_t { done, again };
  Next finish(CURLcode code, const HttpLimits& limits, Instant now);

  void fail_with(Error error) { outcome_ = tl::unexpected<Error>(std::move(error)); }
  const Error* error() const { return outcome_ ? nullptr : &outcome_.error(); }
  Result<HttpResponse> take_outcome() { return std::move(outcome_); }

  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  Instant not_before() const { return not_before_; }
  std::string origin() const { return current_.origin(); }
  // The host could not even be connected to.
  bool unreachable() const { return unreachable_; }
  std::string subject() const;  // the URL without credentials and query

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  bool take_header(std::string_view line);
  bool take_body(std::string_view piece);
  bool store(std::string_view piece);
  long status() const;
  void reset_response();
  Next redirect(const HttpLimits& limits);
  Next retry_or_fail(Error error, const HttpLimits& limits, Instant now);
  Error transport_error(CURLcode code, const HttpLimits& limits);

  const HttpRequest& request_;
  const RunContext& context_;
  const std::atomic<bool>& cancelled_;
  CurlEasy easy_;
  std::unique_ptr<curl_slist, CurlListFree> header_list_;
  char curl_message_[CURL_ERROR_SIZE] = {};

  Url current_;
  std::set<std::string> visited_;
  unsigned attempt_ = 0;
  Instant not_before_{};
  bool unreachable_ = false;

  HttpResponse response_;
  std::vector<PublishedChecksum> hop_checksums_;
  std::string location_, retry_after_;
  std::uint64_t header_bytes_ = 0, discarded_bytes_ = 0;
  std::optional<base::Digester> sha1_, sha256_;
  std::optional<Error> own_error_;  // why a callback stopped the transfer
  bool body_abandoned_ = false;     // a long error page was cut short on purpose
  std::unique_ptr<base::ProgressTask> progress_;
  std::uint64_t progress_shown_ = 0;

  Result<HttpResponse> outcome_ = fail(ErrorCode::internal, "the transfer was never finished");
};

}  // namespace rowgate::pomcheck
