// The same answer for any number of threads: cases of the corpus, each against several targets at
// once that share a library, its index files and the JDK. Under ThreadSanitizer it is the test of
// what the threads share.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/files.hpp"
#include "jarscan/link_index.hpp"
#include "link_test.hpp"

namespace fs = std::filesystem;
using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

// Every fifth case: the threads share the same things in all of them.
std::vector<fs::path> some_cases() {
  std::vector<fs::path> all, some;
  for (const auto& entry : fs::directory_iterator(link_test::corpus_folder()))
    if (fs::exists(entry.path() / "client.jar")) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); i += 5) some.push_back(all[i]);
  return some;
}

// Both sides as sources that read their index files, which the first run writes.
std::string judge(const fs::path& folder, unsigned jobs, const fs::path& cache) {
  RunContext context = RunContext::quiet();
  context.jobs = jobs;
  const auto side = [&](const char* name) {
    std::shared_ptr<IndexedSource> source =
        IndexedSource::open({folder / name}, LinkIndexOptions{cache, 17}, context).value();
    return source;
  };
  const auto old_side = side("old.jar"), new_side = side("new.jar");
  LinkRequest request;
  request.unit = cached_link_unit(link_test::open_jars({folder / "client.jar"}), cache, context);
  for (const char* label : {"new", "newer", "newest"}) request.targets.push_back({label, new_side});
  request.targets.push_back({"old", old_side});
  request.baseline = LinkTarget{"old", old_side};
  request.options.jdk = link_test::jdk();
  request.options.entry_classes = {"c.Main"};
  std::string text;
  for (const LinkResult& result : check_link(request, context)) {
    text += fmt::format("{}: {} of {} classes, {} references\n", result.target,
                        verdict_text(result), result.classes, result.references);
    for (const LinkCause& cause : result.causes)
      text += fmt::format("  {} {} {} in {} places\n", base::to_string(cause.severity),
                          cause.symbol, cause.message, cause.uses.size());
  }
  CHECK(old_side->save(context));
  CHECK(new_side->save(context));
  return text;
}

}  // namespace

TEST_CASE("one answer for any number of threads, with an empty cache and a full one") {
  const auto cache = base::TempDir::create(fs::temp_directory_path(), "link_parallel").value();
  const std::vector<fs::path> cases = some_cases();
  REQUIRE(cases.size() >= 30);
  std::size_t broken = 0;
  for (const fs::path& folder : cases) {
    CAPTURE(folder);
    const fs::path own = cache.path() / folder.filename();
    const std::string alone = judge(folder, 1, own / "one");
    CHECK(judge(folder, 8, own / "many") == alone);
    CHECK(judge(folder, 8, own / "many") == alone);
    if (alone.find("breaks") != std::string::npos) ++broken;
  }
  CHECK(broken >= 10);
}
