// A batch goes through at most three waves of requests, each as parallel as the client allows: the
// files (with .sha1 where it is likely needed), then missing .sha1 files, then the other checksums
// of files that have none of those. Files of which another process is downloading a copy are left
// for last; no lock is held while waiting for one.
#include "pomcheck/http_repository.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <optional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pomcheck/cache.hpp"
#include "pomcheck/repository_content.hpp"

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxChecksumBytes = 64 * 1024;
constexpr std::size_t kMaxOpenDownloads = 64;
constexpr std::chrono::minutes kClockSkew{5};
constexpr Milliseconds kLockPoll{50};

bool is_small(std::string_view path) {
  constexpr std::array<std::string_view, 4> kExtensions = {".pom", ".xml", ".module", ".asc"};
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [&](std::string_view extension) { return path.ends_with(extension); });
}

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

const char* advice_for(int status) {
  switch (status) {
    case 401:
    case 403: return "check the username and password that settings.xml has for this server";
    case 407: return "check the proxy's username and password in settings.xml";
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504: return "try again later";
    default: return "check the repository's URL";
  }
}

bool wanted_html(std::string_view content_type) {
  return base::equals_ignoring_case(content_type.substr(0, 9), "text/html");
}

// One path that the cache could not answer.
struct Wanted {
  std::string path;
  std::optional<CacheEntry> stale;  // of a file that is here and is to be revalidated
  std::optional<Result<FetchedFile>> answer;
  std::optional<PartialFile> download;   // of a large file
  std::optional<HttpResponse> response;  // a 200
  std::optional<PublishedChecksum> published;
};

class HttpRepository final : public Repository {
 public:
  HttpRepository(HttpRepositoryConfig config, std::shared_ptr<HttpClient> client,
                 const fs::path& cache_folder)
      : config_(std::move(config)), client_(std::move(client)), cache_(cache_folder, config_.url) {}

  const std::string& id() const override { return config_.id; }
  std::string place() const override {
    return fmt::format("{}{}{}", config_.url.to_string(), config_.releases ? "" : " no releases",
                       config_.snapshots ? "" : " no snapshots");
  }

  Result<FetchedFile> fetch(std::string_view path, const RunContext& context) override {
    const std::string one(path);
    return std::move(fetch_all({&one, 1}, context).front());
  }

  Result<void> probe(std::string_view path, const RunContext& context) override {
    const std::string one(path);
    return std::move(probe_all({&one, 1}, context).front());
  }

  std::vector<Result<FetchedFile>> fetch_all(std::span<const std::string> paths,
                                             const RunContext& context) override;
  std::vector<Result<void>> probe_all(std::span<const std::string> paths,
                                      const RunContext& context) override;

 private:
  enum class ChecksumsIn : std::uint8_t { unknown, headers, files };
  using Wave = std::vector<Wanted*>;

  std::string location(std::string_view path) const {
    return config_.url.to_string() + "/" + encode_path(path);
  }
  bool serves(std::string_view path) const {
    return path.find("-SNAPSHOT/") != std::string_view::npos ? config_.snapshots : config_.releases;
  }

  std::optional<Error> refuse(std::string_view path) const;
  Error offline_miss(std::string_view path) const;
  Error absent(std::string_view path, std::optional<base::WallTime> as_of) const;
  Error unclear(std::string_view path, int status) const;
  bool is_fresh(const CacheEntry& entry, std::chrono::seconds max_age,
                const RunContext& context) const;
  std::optional<Error> known_absence(std::string_view path, const CacheEntry& entry,
                                     const RunContext& context) const;
  FetchedFile fetched(std::string_view path, fs::path file, const CacheEntry& entry) const;
  CacheEntry entry_now(CachedAnswer answer, const RunContext& context) const;

  void look_up(Wanted& wanted, const RunContext& context) const;
  void download(const Wave& wave, const RunContext& context);
  void wait_and_download(Wanted& wanted, const RunContext& context);
  void transfer(const Wave& wave, const RunContext& context);
  HttpRequest request_for(std::string_view path, HttpMethod method) const;
  Result<HttpRequest> file_request(Wanted& wanted);
  HttpRequest checksum_request(std::string_view path, base::DigestKind kind) const;
  void take_response(Wanted& wanted, HttpResponse response, const RunContext& context);
  void ask_for_checksums(const Wave& wave, std::span<const base::DigestKind> kinds,
                         const RunContext& context);
  void take_checksum(Wanted& wanted, base::DigestKind kind, const Result<HttpResponse>& response);
  void verify_and_keep(Wanted& wanted, const RunContext& context);
  Result<FetchedFile> keep(Wanted& wanted, const RunContext& context);

  HttpRepositoryConfig config_;
  std::shared_ptr<HttpClient> client_;
  Cache cache_;
  std::atomic<ChecksumsIn> checksums_in_{ChecksumsIn::unknown};
};

std::optional<Error> HttpRepository::refuse(std::string_view path) const {
  if (auto checked = check_repository_path(path); !checked) return std::move(checked.error());
  if (!serves(path)) return absent(path, std::nullopt);
  return std::nullopt;
}

Error HttpRepository::offline_miss(std::string_view path) const {
  return Error{
      ErrorCode::network,
      fmt::format("is not in the cache of repository {}, and this run is offline", config_.id),
      location(path), std::nullopt, "run once without --offline"};
}

Error HttpRepository::absent(std::string_view path, std::optional<base::WallTime> as_of) const {
  std::string message = fmt::format("is not in repository {}", config_.id);
  if (as_of) message += fmt::format(" (as of {})", base::to_rfc3339(*as_of));
  return Error{ErrorCode::not_found, std::move(message), location(path), std::nullopt, {}};
}

Error HttpRepository::unclear(std::string_view path, int status) const {
  return Error{ErrorCode::network,
               fmt::format("repository {} answered HTTP {}, which does not tell whether it has the "
                           "file",
                           config_.id, status),
               location(path), std::nullopt, advice_for(status)};
}

bool HttpRepository::is_fresh(const CacheEntry& entry, std::chrono::seconds max_age,
                              const RunContext& context) const {
  const auto age = context.clock->now() - entry.asked_at;
  return age <= max_age && age >= -kClockSkew;
}

std::optional<Error> HttpRepository::known_absence(std::string_view path, const CacheEntry& entry,
                                                   const RunContext& context) const {
  const bool same_asker = entry.with_credentials == !config_.credentials.empty();
  if (entry.answer != CachedAnswer::absent || !same_asker || config_.mode == CacheMode::refresh ||
      !is_fresh(entry, config_.policy.absent_max_age, context))
    return std::nullopt;
  return absent(path, entry.asked_at);
}

FetchedFile HttpRepository::fetched(std::string_view path, fs::path file,
                                    const CacheEntry& entry) const {
  return FetchedFile{
      std::move(file), config_.id, location(path),
      entry.checked_by.empty() ? Verification::no_checksum_published : Verification::verified};
}

CacheEntry HttpRepository::entry_now(CachedAnswer answer, const RunContext& context) const {
  CacheEntry entry;
  entry.answer = answer;
  entry.asked_at = context.clock->now();
  entry.with_credentials = !config_.credentials.empty();
  return entry;
}

// Sets `answer` when the cache has one, `stale` when the file is to be revalidated.
void HttpRepository::look_up(Wanted& wanted, const RunContext& context) const {
  wanted.stale.reset();
  if (const auto entry = cache_.find(wanted.path)) {
    if (auto error = known_absence(wanted.path, *entry, context)) {
      wanted.answer = tl::unexpected<Error>(std::move(*error));
      return;
    }
    if (auto file = cache_.contents(wanted.path, *entry)) {
      const bool believed = !may_change(wanted.path) || config_.mode == CacheMode::offline ||
                            (config_.mode == CacheMode::normal &&
                             is_fresh(*entry, config_.policy.metadata_max_age, context));
      if (believed)
        wanted.answer = fetched(wanted.path, std::move(*file), *entry);
      else
        wanted.stale = *entry;
    } else if (entry->answer == CachedAnswer::file) {
      context.warn(fmt::format("{}: the cached copy is gone or damaged", location(wanted.path)));
    }
  }
  if (!wanted.answer && config_.mode == CacheMode::offline)
    wanted.answer = tl::unexpected<Error>(offline_miss(wanted.path));
}

HttpRequest HttpRepository::request_for(std::string_view path, HttpMethod method) const {
  HttpRequest request;
  request.method = method;
  request.url = config_.url;
  request.url.path += "/" + encode_path(path);
  request.credentials = config_.credentials;
  request.private_headers = config_.private_headers;
  const HttpLimits& limits = client_->limits();
  const bool small = is_small(path) || method == HttpMethod::head;
  request.max_bytes = small ? limits.max_small_file_bytes : limits.max_large_file_bytes;
  request.deadline = small ? limits.small_file_deadline : limits.large_file_deadline;
  return request;
}

std::vector<Result<FetchedFile>> HttpRepository::fetch_all(std::span<const std::string> paths,
                                                           const RunContext& context) {
  std::map<std::string_view, std::size_t> position;
  std::vector<Wanted> wanted;
  for (const std::string& path : paths) {
    if (!position.emplace(path, wanted.size()).second) continue;
    Wanted one;
    one.path = path;
    if (auto error = refuse(path))
      one.answer = tl::unexpected<Error>(std::move(*error));
    else
      look_up(one, context);
    wanted.push_back(std::move(one));
  }
  Wave open;
  for (Wanted& one : wanted)
    if (!one.answer) open.push_back(&one);
  for (std::size_t i = 0; i < open.size(); i += kMaxOpenDownloads)
    download(Wave(open.begin() + static_cast<std::ptrdiff_t>(i),
                  open.begin() +
                      static_cast<std::ptrdiff_t>(std::min(open.size(), i + kMaxOpenDownloads))),
             context);
  std::vector<Result<FetchedFile>> answers;
  answers.reserve(paths.size());
  for (const std::string& path : paths) answers.push_back(*wanted[position.at(path)].answer);
  return answers;
}

void HttpRepository::download(const Wave& wave, const RunContext& context) {
  Wave now, later;
  std::vector<CacheLock> locks;
  for (Wanted* wanted : wave) {
    if (is_small(wanted->path)) {
      now.push_back(wanted);
    } else if (auto lock = cache_.try_lock(wanted->path)) {
      locks.push_back(std::move(*lock));
      look_up(*wanted, context);  // whoever had the lock a moment ago may have brought it
      if (!wanted->answer) now.push_back(wanted);
    } else {
      later.push_back(wanted);
    }
  }
  transfer(now, context);
  locks.clear();
  for (Wanted* wanted : later) wait_and_download(*wanted, context);
}

void HttpRepository::wait_and_download(Wanted& wanted, const RunContext& context) {
  const auto give_up = context.clock->tick() + client_->limits().large_file_deadline;
  std::optional<CacheLock> lock = cache_.try_lock(wanted.path);
  // After the time that a download may take the lock's holder hangs: go on without it.
  while (!lock && context.clock->tick() < give_up) {
    if (context.stopped()) {
      wanted.answer = fail(ErrorCode::interrupted, "interrupted", location(wanted.path));
      return;
    }
    context.clock->sleep_for(kLockPoll);
    lock = cache_.try_lock(wanted.path);
  }
  look_up(wanted, context);
  if (!wanted.answer) transfer({&wanted}, context);
}

void HttpRepository::transfer(const Wave& wave, const RunContext& context) {
  if (wave.empty()) return;
  const ChecksumsIn known = checksums_in_;
  struct Asked {
    Wanted* wanted;
    bool for_checksum;
  };
  std::vector<HttpRequest> requests;
  std::vector<Asked> asked;
  std::vector<Wanted*> checksum_askers;
  const auto ask_for_checksum = [&](Wanted* wanted) {
    requests.push_back(checksum_request(wanted->path, base::DigestKind::sha1));
    asked.push_back({wanted, true});
    checksum_askers.push_back(wanted);
  };
  // As long as it is not known whether checksums come along in headers, files come first. Once it
  // is known that they do not, each is followed by its own, so that there is something complete to
  // keep while the others are on their way.
  for (Wanted* wanted : wave) {
    auto request = file_request(*wanted);
    if (!request) {
      wanted->answer = tl::unexpected<Error>(std::move(request.error()));
      continue;
    }
    requests.push_back(std::move(*request));
    asked.push_back({wanted, false});
    if (known == ChecksumsIn::files && !wanted->stale) ask_for_checksum(wanted);
  }
  if (known == ChecksumsIn::unknown)
    for (std::size_t i = 0, files = asked.size(); i < files; ++i)
      if (!asked[i].wanted->stale) ask_for_checksum(asked[i].wanted);
  client_->perform(requests, context, [&](std::size_t place, Result<HttpResponse> response) {
    Wanted& wanted = *asked[place].wanted;
    if (asked[place].for_checksum)
      take_checksum(wanted, base::DigestKind::sha1, response);
    else if (response)
      take_response(wanted, std::move(*response), context);
    else
      wanted.answer = tl::unexpected<Error>(std::move(response.error()));
    if (wanted.published) verify_and_keep(wanted, context);
  });

  Wave unasked, unchecked;
  for (Wanted* wanted : wave)
    if (!wanted->answer &&
        std::find(checksum_askers.begin(), checksum_askers.end(), wanted) == checksum_askers.end())
      unasked.push_back(wanted);
  ask_for_checksums(unasked, std::span(kChecksumOrder).first(1), context);
  for (Wanted* wanted : wave)
    if (!wanted->answer && !wanted->published) unchecked.push_back(wanted);
  ask_for_checksums(unchecked, std::span(kChecksumOrder).subspan(1), context);
  for (Wanted* wanted : wave) verify_and_keep(*wanted, context);
}

// Of a large file, with where it goes.
Result<HttpRequest> HttpRepository::file_request(Wanted& wanted) {
  HttpRequest request = request_for(wanted.path, HttpMethod::get);
  if (wanted.stale && !wanted.stale->etag.empty())
    request.headers.push_back({"If-None-Match", wanted.stale->etag});
  if (wanted.stale && !wanted.stale->last_modified.empty())
    request.headers.push_back({"If-Modified-Since", wanted.stale->last_modified});
  if (is_small(wanted.path)) return request;
  ROWGATE_TRY(PartialFile download, cache_.start_download());
  wanted.download.emplace(std::move(download));
  request.sink = wanted.download->descriptor();
  request.progress_label = file_name(wanted.path);
  return request;
}

HttpRequest HttpRepository::checksum_request(std::string_view path, base::DigestKind kind) const {
  HttpRequest request =
      request_for(fmt::format("{}.{}", path, base::to_string(kind)), HttpMethod::get);
  request.max_bytes = kMaxChecksumBytes;
  request.deadline = client_->limits().small_file_deadline;
  return request;
}

void HttpRepository::take_response(Wanted& wanted, HttpResponse response,
                                   const RunContext& context) {
  if (response.status == 304 && wanted.stale) {
    CacheEntry entry = *wanted.stale;
    entry.asked_at = context.clock->now();
    auto file = cache_.contents(wanted.path, entry);
    if (!file) {
      wanted.answer = fail(ErrorCode::io, "the cached copy vanished while it was revalidated",
                           location(wanted.path), std::nullopt, "run again");
      return;
    }
    if (auto kept = cache_.keep_entry(wanted.path, entry); !kept)
      context.debug(kept.error().to_string());
    wanted.answer = fetched(wanted.path, std::move(*file), entry);
    return;
  }
  if (response.status == 404 || response.status == 410) {
    if (auto kept = cache_.keep_entry(wanted.path, entry_now(CachedAnswer::absent, context)); !kept)
      context.debug(kept.error().to_string());
    wanted.answer = tl::unexpected<Error>(absent(wanted.path, std::nullopt));
    return;
  }
  if (response.status != 200) {
    wanted.answer = tl::unexpected<Error>(unclear(wanted.path, response.status));
    return;
  }
  Result<void> checked =
      wanted.download
          ? check_file_content(wanted.path, wanted.download->path())
          : check_content(
                wanted.path, std::string_view(response.body).substr(0, kHeadBytes),
                std::string_view(response.body)
                    .substr(response.body.size() - std::min(response.body.size(), kTailBytes)));
  if (!checked) {
    Error error = std::move(checked.error());
    error.subject = location(wanted.path);
    error.message = fmt::format("repository {}: {}", config_.id, error.message);
    wanted.answer = tl::unexpected<Error>(std::move(error));
    return;
  }
  if (auto in_headers = strongest(response.checksums)) {
    wanted.published = std::move(in_headers);
    checksums_in_ = ChecksumsIn::headers;
  }
  wanted.response.emplace(std::move(response));
}

void HttpRepository::ask_for_checksums(const Wave& wave, std::span<const base::DigestKind> kinds,
                                       const RunContext& context) {
  if (wave.empty()) return;
  std::vector<HttpRequest> requests;
  for (const Wanted* wanted : wave) {
    for (base::DigestKind kind : kinds) {
      requests.push_back(checksum_request(wanted->path, kind));
    }
  }
  const std::vector<Result<HttpResponse>> responses = client_->perform(requests, context);
  for (std::size_t i = 0; i < responses.size(); ++i)
    take_checksum(*wave[i / kinds.size()], kinds[i % kinds.size()], responses[i]);
}

// A checksum that the server fails to deliver is none: the file is accepted and marked as
// unchecked.
void HttpRepository::take_checksum(Wanted& wanted, base::DigestKind kind,
                                   const Result<HttpResponse>& response) {
  if (wanted.answer) return;
  if (!response && response.error().code == ErrorCode::interrupted) {
    wanted.answer = tl::unexpected<Error>(response.error());
    return;
  }
  if (wanted.published || !response || response->status != 200) return;
  wanted.published = parse_checksum(response->body, kind);
  if (wanted.published && checksums_in_ == ChecksumsIn::unknown) checksums_in_ = ChecksumsIn::files;
}

// Once, when the file is there.
void HttpRepository::verify_and_keep(Wanted& wanted, const RunContext& context) {
  if (wanted.answer || !wanted.response) return;
  const HttpResponse& response = *wanted.response;
  if (wanted.published) {
    const base::DigestKind kind = wanted.published->kind;
    std::string actual;
    if (kind == base::DigestKind::sha1) {
      actual = response.sha1;
    } else if (kind == base::DigestKind::sha256) {
      actual = response.sha256;
    } else if (!wanted.download) {
      actual = base::digest(kind, base::as_bytes(response.body));
    } else {
      const auto mapped = base::MappedFile::open(wanted.download->path());
      if (!mapped) {
        wanted.answer = tl::unexpected<Error>(mapped.error());
        return;
      }
      actual = base::digest(kind, mapped->bytes());
    }
    if (actual != wanted.published->hex) {
      wanted.answer = tl::unexpected<Error>(
          checksum_mismatch(location(wanted.path), *wanted.published, actual));
      return;
    }
  }
  wanted.answer = keep(wanted, context);
}

Result<FetchedFile> HttpRepository::keep(Wanted& wanted, const RunContext& context) {
  const HttpResponse& response = *wanted.response;
  CacheEntry entry = entry_now(CachedAnswer::file, context);
  entry.size_bytes = response.size_bytes;
  entry.sha256 = response.sha256;
  entry.etag = response.etag;
  entry.last_modified = response.last_modified;
  if (wanted.published) entry.checked_by = base::to_string(wanted.published->kind);
  if (!wanted.download) {
    ROWGATE_TRY(PartialFile file, cache_.start_download());
    ROWGATE_CHECK(file.write(response.body));
    wanted.download.emplace(std::move(file));
  }
  ROWGATE_TRY(fs::path file, cache_.keep(wanted.path, std::move(*wanted.download), entry));
  return fetched(wanted.path, std::move(file), entry);
}

std::vector<Result<void>> HttpRepository::probe_all(std::span<const std::string> paths,
                                                    const RunContext& context) {
  std::vector<std::optional<Result<void>>> answers(paths.size());
  std::vector<std::size_t> heads;
  std::vector<HttpRequest> requests;
  std::vector<std::size_t> fetches;  // small files, and answers that only the contents can settle
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    if (auto error = refuse(path)) {
      answers[i] = tl::unexpected<Error>(std::move(*error));
      continue;
    }
    if (is_small(path) || may_change(path)) {
      fetches.push_back(i);
      continue;
    }
    if (const auto entry = cache_.find(path)) {
      if (entry->answer != CachedAnswer::absent) {
        answers[i].emplace();
        continue;
      }
      if (auto error = known_absence(path, *entry, context)) {
        answers[i] = tl::unexpected<Error>(std::move(*error));
        continue;
      }
    }
    if (config_.mode == CacheMode::offline) {
      answers[i] = tl::unexpected<Error>(offline_miss(path));
      continue;
    }
    heads.push_back(i);
    requests.push_back(request_for(path, HttpMethod::head));
  }
  std::vector<Result<HttpResponse>> responses;
  if (!requests.empty()) responses = client_->perform(requests, context);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::string& path = paths[heads[i]];
    auto& answer = answers[heads[i]];
    if (!responses[i]) {
      answer = tl::unexpected<Error>(std::move(responses[i].error()));
      continue;
    }
    const HttpResponse& response = *responses[i];
    const bool there = response.status == 200,
               gone = response.status == 404 || response.status == 410;
    // A login page's headers may look like a file's; and some servers know no HEAD.
    if ((there && (wanted_html(response.content_type) || response.content_length == 0)) ||
        response.status == 405 || response.status == 501) {
      fetches.push_back(heads[i]);
      continue;
    }
    if (there || gone)
      if (auto kept = cache_.keep_entry(
              path, entry_now(there ? CachedAnswer::exists : CachedAnswer::absent, context));
          !kept)
        context.debug(kept.error().to_string());
    if (there)
      answer.emplace();
    else
      answer =
          tl::unexpected<Error>(gone ? absent(path, std::nullopt) : unclear(path, response.status));
  }
  std::vector<std::string> fetch_paths;
  for (std::size_t i : fetches) fetch_paths.push_back(paths[i]);
  std::vector<Result<FetchedFile>> files = fetch_all(fetch_paths, context);
  for (std::size_t i = 0; i < fetches.size(); ++i)
    answers[fetches[i]] = files[i].map([](const FetchedFile&) {});
  std::vector<Result<void>> all;
  all.reserve(answers.size());
  for (auto& answer : answers) all.push_back(std::move(*answer));
  return all;
}

}  // namespace

std::unique_ptr<Repository> open_http_repository(HttpRepositoryConfig config,
                                                 std::shared_ptr<HttpClient> client,
                                                 const fs::path& cache_folder) {
  return std::make_unique<HttpRepository>(std::move(config), std::move(client), cache_folder);
}

}  // namespace rowgate::pomcheck
