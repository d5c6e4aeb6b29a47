// One slot a path: the thread that makes it asks the repositories, the others wait for it. A thread
// publishes all slots that it made before it waits for another's, so that no two wait for each
// other. Values and "absent" stay for the run; what could not be told is forgotten and asked again,
// but that it happened is not.
#include "pomcheck/repository_set.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <variant>

namespace rowgate::pomcheck {
namespace {

using Repositories = std::vector<std::shared_ptr<Repository>>;

Error absent_everywhere(std::string_view path, const Repositories& repositories) {
  std::string ids;
  for (const auto& repository : repositories) ids += (ids.empty() ? "" : ", ") + repository->id();
  return Error{ErrorCode::not_found,
               fmt::format("is in none of the repositories {}", ids),
               std::string(path),
               std::nullopt,
               {}};
}

Error stopped(std::string_view path) {
  return Error{ErrorCode::interrupted, "interrupted", std::string(path), std::nullopt, {}};
}

// Asks the repositories in order about every path. `ask(repository, paths)` answers for all of
// them; `publish(index, answer)` is called once for each path, as soon as its answer is known.
template <class Value, class Ask, class Publish>
void ask_in_order(const Repositories& repositories, const std::vector<std::string>& paths, Ask ask,
                  Publish publish) {
  struct Open {
    std::size_t index;
    std::optional<Error> doubt;   // the first repository that could not tell
    std::optional<Error> absent;  // the last that said "not here"
  };
  std::vector<Open> open;
  for (std::size_t i = 0; i < paths.size(); ++i) open.push_back({i, {}, {}});
  for (const auto& repository : repositories) {
    if (open.empty()) break;
    std::vector<std::string> asked;
    for (const Open& one : open) asked.push_back(paths[one.index]);
    std::vector<Result<Value>> answers = ask(*repository, asked);
    std::vector<Open> still_open;
    for (std::size_t i = 0; i < open.size(); ++i) {
      Open& one = open[i];
      if (answers[i] || answers[i].error().code == ErrorCode::interrupted) {
        publish(one.index, std::move(answers[i]));
        continue;
      }
      Error& error = answers[i].error();
      if (error.code == ErrorCode::not_found)
        one.absent = std::move(error);
      else if (!one.doubt)
        one.doubt = std::move(error);
      still_open.push_back(std::move(one));
    }
    open = std::move(still_open);
  }
  for (Open& one : open) {
    Error error = one.doubt ? std::move(*one.doubt)
                  : repositories.size() == 1 && one.absent
                      ? std::move(*one.absent)
                      : absent_everywhere(paths[one.index], repositories);
    publish(one.index, Result<Value>(tl::unexpected<Error>(std::move(error))));
  }
}

// Who asks what, shared by all threads.
template <class Value>
class Answers {
 public:
  // As Repository::fetch_all; `ask` is called without a lock held.
  template <class Ask>
  std::vector<Result<Value>> get(const Repositories& repositories,
                                 std::span<const std::string> paths, const RunContext& context,
                                 Ask ask) {
    std::vector<std::shared_ptr<Slot>> slots;
    Claim claim(*this);
    {
      const std::lock_guard lock(mutex_);
      for (const std::string& path : paths) {
        std::shared_ptr<Slot>& slot = slots_[path];
        if (!slot) {
          slot = std::make_shared<Slot>();
          claim.paths.push_back(path);
          claim.slots.push_back(slot);
        }
        slots.push_back(slot);
      }
    }
    if (!claim.paths.empty())
      ask_in_order<Value>(repositories, claim.paths, ask, [&](std::size_t i, Result<Value> answer) {
        publish(claim.paths[i], *claim.slots[i], std::move(answer));
      });
    std::vector<Result<Value>> answers;
    answers.reserve(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i)
      answers.push_back(wait(paths[i], *slots[i], context));
    return answers;
  }

  // Calls `tell(path, answer)` for all answers that there are. False when one could not be told, or
  // is on its way.
  template <class Tell>
  bool each(Tell tell) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [path, slot] : slots_) {
      if (!slot->answer) return false;
      tell(path, *slot->answer);
    }
    return !undecided_;
  }

 private:
  struct Slot {
    std::optional<Result<Value>> answer;
  };

  // Slots that this thread made. Should it leave by an exception, the waiting threads are told.
  struct Claim {
    explicit Claim(Answers& owner) : answers(owner) {}
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() {
      for (std::size_t i = 0; i < slots.size(); ++i)
        answers.publish(paths[i], *slots[i],
                        fail(ErrorCode::internal, "the repository was left unasked", paths[i]));
    }
    Answers& answers;
    std::vector<std::string> paths;
    std::vector<std::shared_ptr<Slot>> slots;
  };

  // The first answer to a slot counts.
  void publish(const std::string& path, Slot& slot, Result<Value> answer) {
    const std::lock_guard lock(mutex_);
    if (slot.answer) return;
    const bool keep = answer || answer.error().code == ErrorCode::not_found;
    slot.answer.emplace(std::move(answer));
    if (!keep) {
      slots_.erase(path);
      undecided_ = true;
    }
    published_.notify_all();
  }

  Result<Value> wait(const std::string& path, Slot& slot, const RunContext& context) {
    std::unique_lock lock(mutex_);
    while (!slot.answer) {
      if (context.stopped()) return tl::unexpected<Error>(stopped(path));
      published_.wait_for(lock, std::chrono::milliseconds(100));
    }
    return *slot.answer;
  }

  mutable std::mutex mutex_;
  std::condition_variable published_;
  std::map<std::string, std::shared_ptr<Slot>, std::less<>> slots_;
  bool undecided_ = false;
};

}  // namespace

struct RepositorySet::State {
  Repositories repositories;
  std::string id;
  Answers<FetchedFile> files;
  Answers<std::monostate> probes;
  std::mutex mutex;                  // of what follows
  std::vector<AskedFile> from_each;  // what fetch_from_each() was asked
  bool each_undecided = false;
};

RepositorySet::RepositorySet(Repositories repositories) : state_(std::make_unique<State>()) {
  state_->repositories = std::move(repositories);
  const std::size_t count = state_->repositories.size();
  if (count == 0)
    state_->id = "no repository";
  else if (count == 1)
    state_->id = state_->repositories.front()->id();
  else
    state_->id = fmt::format("{} and {} other{}", state_->repositories.front()->id(), count - 1,
                             count == 2 ? "" : "s");
}

RepositorySet::RepositorySet(RepositorySet&&) noexcept = default;
RepositorySet& RepositorySet::operator=(RepositorySet&&) noexcept = default;
RepositorySet::~RepositorySet() = default;

const std::string& RepositorySet::id() const {
  return state_->id;
}

std::string RepositorySet::place() const {
  std::string text;
  for (const auto& repository : state_->repositories)
    text += fmt::format("{} {}\n", repository->id(), repository->place());
  return text;
}

const Repositories& RepositorySet::repositories() const {
  return state_->repositories;
}

std::vector<Result<FetchedFile>> RepositorySet::fetch_all(std::span<const std::string> paths,
                                                          const RunContext& context) {
  return state_->files.get(state_->repositories, paths, context,
                           [&](Repository& repository, const std::vector<std::string>& asked) {
                             return repository.fetch_all(asked, context);
                           });
}

Result<FetchedFile> RepositorySet::fetch(std::string_view path, const RunContext& context) {
  const std::string one(path);
  return std::move(fetch_all({&one, 1}, context).front());
}

std::vector<Result<void>> RepositorySet::probe_all(std::span<const std::string> paths,
                                                   const RunContext& context) {
  const auto answers =
      state_->probes.get(state_->repositories, paths, context,
                         [&](Repository& repository, const std::vector<std::string>& asked) {
                           std::vector<Result<std::monostate>> found;
                           for (Result<void>& answer : repository.probe_all(asked, context))
                             found.push_back(answer.map([] { return std::monostate{}; }));
                           return found;
                         });
  std::vector<Result<void>> found;
  found.reserve(answers.size());
  for (const auto& answer : answers) found.push_back(answer.map([](std::monostate) {}));
  return found;
}

Result<void> RepositorySet::probe(std::string_view path, const RunContext& context) {
  const std::string one(path);
  return std::move(probe_all({&one, 1}, context).front());
}

std::vector<RepositorySet::Answer> RepositorySet::fetch_from_each(std::string_view path,
                                                                  const RunContext& context) {
  std::vector<Answer> answers;
  for (const auto& repository : state_->repositories)
    answers.push_back({repository->id(), repository->fetch(path, context)});
  const std::lock_guard lock(state_->mutex);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    auto one = asked_file(AskedFile::Question::fetch_from, std::string(path), answers[i].file);
    state_->each_undecided |= !one;
    if (!one) continue;
    one->repository = i;
    state_->from_each.push_back(std::move(*one));
  }
  return answers;
}

std::optional<std::vector<AskedFile>> RepositorySet::asked() const {
  std::vector<AskedFile> all;
  bool decided = state_->files.each([&](const std::string& path, const Result<FetchedFile>& file) {
    if (auto one = asked_file(AskedFile::Question::fetch, path, file)) all.push_back(*one);
  });
  decided &= state_->probes.each([&](const std::string& path, const Result<std::monostate>& there) {
    AskedFile one{AskedFile::Question::probe, path};
    one.present = there.has_value();
    all.push_back(std::move(one));
  });
  const std::lock_guard lock(state_->mutex);
  all.insert(all.end(), state_->from_each.begin(), state_->from_each.end());
  if (!decided || state_->each_undecided) return std::nullopt;
  return all;
}

}  // namespace rowgate::pomcheck
