#include "pomcheck/repository_unavailable.hpp"

namespace rowgate::pomcheck {
namespace {

class UnavailableRepository final : public Repository {
 public:
  UnavailableRepository(std::string id, Error error)
      : id_(std::move(id)), error_(std::move(error)) {}

  const std::string& id() const override { return id_; }
  std::string place() const override { return error_.to_string(); }

  Result<FetchedFile> fetch(std::string_view path, const RunContext&) override {
    return tl::unexpected<Error>(about(path));
  }
  Result<void> probe(std::string_view path, const RunContext&) override {
    return tl::unexpected<Error>(about(path));
  }

 private:
  Error about(std::string_view path) const {
    Error error = error_;
    error.subject = path;
    return error;
  }

  std::string id_;
  Error error_;
};

}  // namespace

std::unique_ptr<Repository> unavailable_repository(std::string id, Error error) {
  return std::make_unique<UnavailableRepository>(std::move(id), std::move(error));
}

}  // namespace rowgate::pomcheck
