// The loop: take what callers handed over, start what is due while there is room, let libcurl work,
// finish what ended, sleep until a socket, a due retry or a caller wakes it.
//
// A host that could not be connected to even after the retries is not tried again for a while: a
// resolver that asks for two hundred POMs would otherwise wait two hundred times.
#include "pomcheck/http_client.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "pomcheck/http_transfer.hpp"

namespace rowgate::pomcheck {
namespace {

using Instant = Transfer::Instant;

constexpr std::chrono::seconds kUnreachableFor{30};
constexpr std::int64_t kBusyMs = 1000, kIdleMs = 60'000;

struct CurlMultiFree {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};

void initialise_curl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)code;
}

}  // namespace

class HttpClient::Loop {
 public:
  Loop(HttpLimits limits, ProxySelector proxy_for, std::string ca_file)
      : limits_(limits), proxy_for_(std::move(proxy_for)) {
    initialise_curl();
    settings_ = {&limits_, &proxy_for_, std::move(ca_file)};
    multi_.reset(curl_multi_init());
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS,
                      static_cast<long>(limits_.max_connections_per_host));
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      static_cast<long>(limits_.max_in_flight));
  }

  ~Loop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    curl_multi_wakeup(multi_.get());
    thread_.join();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void perform(std::span<const HttpRequest> requests, const RunContext& context,
               const HttpDone& done) {
    std::atomic<bool> cancelled{false};
    Batch batch;
    for (const HttpRequest& request : requests)
      batch.transfers.push_back(std::make_unique<Transfer>(request, context, cancelled));
    batch.open = requests.size();
    {
      const std::lock_guard lock(mutex_);
      if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
      for (std::size_t i = 0; i < batch.transfers.size(); ++i)
        arrived_.push_back({batch.transfers[i].get(), &batch, i});
    }
    curl_multi_wakeup(multi_.get());
    wait(batch, cancelled, context, done);
  }

  const HttpLimits& limits() const { return limits_; }
  std::uint64_t requests_sent() const { return requests_sent_.load(); }

 private:
  struct Batch {
    std::vector<std::unique_ptr<Transfer>> transfers;
    std::size_t open = 0;            // guarded by mutex_
    std::vector<std::size_t> ended;  // not yet handed to the caller; guarded by mutex_
  };
  struct Job {
    Transfer* transfer;
    Batch* batch;
    std::size_t place;  // in the batch
  };

  // The caller stays until every transfer has ended, because the loop uses what it owns.
  void wait(Batch& batch, std::atomic<bool>& cancelled, const RunContext& context,
            const HttpDone& done) {
    std::unique_lock lock(mutex_);
    while (batch.open > 0 || !batch.ended.empty()) {
      ended_.wait_for(lock, std::chrono::milliseconds(100),
                      [&batch] { return !batch.ended.empty(); });
      const std::vector<std::size_t> ended = std::exchange(batch.ended, {});
      if (batch.open > 0 && context.stopped() && !cancelled.exchange(true))
        curl_multi_wakeup(multi_.get());
      lock.unlock();
      for (const std::size_t place : ended) done(place, batch.transfers[place]->take_outcome());
      lock.lock();
    }
  }

  void run() {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (quit_ && arrived_.empty() && waiting_.empty() && active_.empty()) return;
        waiting_.insert(waiting_.end(), arrived_.begin(), arrived_.end());
        arrived_.clear();
      }
      drop_cancelled();
      start_due();
      int running = 0;
      curl_multi_perform(multi_.get(), &running);
      const bool finished_some = collect();
      if (!finished_some) curl_multi_poll(multi_.get(), nullptr, 0, sleep_ms(), nullptr);
    }
  }

  void drop_cancelled() {
    const auto drop = [&](const Job& job) {
      job.transfer->fail_with(
          Error{ErrorCode::interrupted, "interrupted", job.transfer->subject(), {}, {}});
      end(job);
    };
    for (auto it = active_.begin(); it != active_.end();) {
      if (!it->second.transfer->cancelled()) {
        ++it;
        continue;
      }
      curl_multi_remove_handle(multi_.get(), it->first);
      const Job job = it->second;
      it = active_.erase(it);
      job.transfer->release();
      drop(job);
    }
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (!it->transfer->cancelled()) {
        ++it;
        continue;
      }
      const Job job = *it;
      it = waiting_.erase(it);
      drop(job);
    }
  }

  void start_due() {
    const Instant now = std::chrono::steady_clock::now();
    for (auto it = waiting_.begin();
         it != waiting_.end() && active_.size() < limits_.max_in_flight;) {
      if (it->transfer->not_before() > now) {
        ++it;
        continue;
      }
      const Job job = *it;
      it = waiting_.erase(it);
      start(job, now);
    }
  }

  void start(const Job& job, Instant now) {
    const auto known = unreachable_.find(job.transfer->origin());
    // A retry (not_before is set) of the host goes on; it is what finds out.
    if (known != unreachable_.end() && now < known->second.until &&
        job.transfer->not_before() == Instant{}) {
      Error error = known->second.error;
      error.subject = job.transfer->subject();
      error.message += " (a moment ago; not tried again)";
      job.transfer->fail_with(std::move(error));
      end(job);
      return;
    }
    CurlEasy easy;
    if (spare_.empty()) {
      easy.reset(curl_easy_init());
    } else {
      easy = std::move(spare_.back());
      spare_.pop_back();
    }
    if (auto prepared = job.transfer->prepare(std::move(easy), settings_); !prepared) {
      job.transfer->fail_with(std::move(prepared.error()));
      end(job);
      return;
    }
    CURL* handle = job.transfer->handle();
    curl_multi_add_handle(multi_.get(), handle);
    active_.emplace(handle, job);
    ++requests_sent_;
  }

  bool collect() {
    bool any = false;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      any = true;
      CURL* handle = message->easy_handle;
      const CURLcode code = message->data.result;
      const auto found = active_.find(handle);
      const Job job = found->second;
      active_.erase(found);
      curl_multi_remove_handle(multi_.get(), handle);
      const Instant now = std::chrono::steady_clock::now();
      const std::string origin = job.transfer->origin();
      const Transfer::Next next = job.transfer->finish(code, limits_, now);
      const bool unreachable = job.transfer->unreachable();
      spare_.push_back(job.transfer->release());
      if (next == Transfer::Next::again)
        waiting_.push_back(job);
      else
        end(job, unreachable ? &origin : nullptr, now);
    }
    return any;
  }

  void end(const Job& job, const std::string* unreachable_origin = nullptr, Instant now = {}) {
    if (unreachable_origin != nullptr)
      if (const auto* error = job.transfer->error())
        unreachable_.insert_or_assign(*unreachable_origin,
                                      Unreachable{now + kUnreachableFor, *error});
    const std::lock_guard lock(mutex_);
    --job.batch->open;
    job.batch->ended.push_back(job.place);
    ended_.notify_all();
  }

  int sleep_ms() const {
    const Instant now = std::chrono::steady_clock::now();
    std::int64_t sleep = waiting_.empty() && active_.empty() ? kIdleMs : kBusyMs;
    if (active_.size() < limits_.max_in_flight)
      for (const Job& job : waiting_)
        sleep = std::min<std::int64_t>(
            sleep, std::chrono::ceil<Milliseconds>(job.transfer->not_before() - now).count());
    return static_cast<int>(std::max<std::int64_t>(sleep, 0));
  }

  struct Unreachable {
    Instant until;
    Error error;
  };

  HttpLimits limits_;
  ProxySelector proxy_for_;
  TransferSettings settings_{};
  std::unique_ptr<CURLM, CurlMultiFree> multi_;

  std::mutex mutex_;
  std::condition_variable ended_;
  std::deque<Job> arrived_;  // guarded by mutex_
  bool quit_ = false;        // guarded by mutex_

  // The loop thread's own.
  std::list<Job> waiting_;
  std::map<CURL*, Job> active_;
  std::vector<CurlEasy> spare_;
  std::map<std::string, Unreachable> unreachable_;
  std::atomic<std::uint64_t> requests_sent_{0};

  std::thread thread_;
};

HttpClient::HttpClient(HttpLimits limits, ProxySelector proxy_for, std::string ca_file)
    : loop_(std::make_unique<Loop>(limits, std::move(proxy_for), std::move(ca_file))) {}

HttpClient::~HttpClient() = default;

std::vector<Result<HttpResponse>> HttpClient::perform(std::span<const HttpRequest> requests,
                                                      const RunContext& context) {
  std::vector<std::optional<Result<HttpResponse>>> ended(requests.size());
  loop_->perform(requests, context, [&ended](std::size_t place, Result<HttpResponse> answer) {
    ended[place] = std::move(answer);
  });
  std::vector<Result<HttpResponse>> answers;
  answers.reserve(ended.size());
  for (auto& answer : ended) answers.push_back(std::move(*answer));
  return answers;
}

void HttpClient::perform(std::span<const HttpRequest> requests, const RunContext& context,
                         const HttpDone& done) {
  loop_->perform(requests, context, done);
}

const HttpLimits& HttpClient::limits() const {
  return loop_->limits();
}

std::uint64_t HttpClient::requests_sent() const {
  return loop_->requests_sent();
}

}  // namespace rowgate::pomcheck
