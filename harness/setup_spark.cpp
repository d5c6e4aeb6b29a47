#include "harness/setup_spark.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/driver_script.hpp"
#include "harness/work_folder.hpp"

namespace rowgate::harness {
namespace {

namespace fs = std::filesystem;

// Spark Connect, which Auto CDC pipelines need, imports all of these.
constexpr std::array kCompanions = {"grpcio",    "grpcio-status", "googleapis-common-protos",
                                    "zstandard", "pandas",        "pyarrow",
                                    "pyyaml"};
// Written as the last thing into a complete environment; holds what was installed.
constexpr const char* kMarker = "rowgate-complete";
constexpr std::string_view kPartialPrefix = ".partial-";

constexpr std::array<std::string_view, 7> kNetworkSigns = {
    "NewConnectionError", "name resolution", "ConnectTimeoutError", "ReadTimeoutError",
    "ProxyError",         "SSLError",        "Connection refused"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Result<void> check_version(std::string_view version) {
  if (is_spark_version(version)) return {};
  return fail(ErrorCode::usage, "is not a Spark version", base::printable(version), std::nullopt,
              "give one like 4.1.3");
}

fs::path environment_folder(const fs::path& cache, std::string_view version) {
  return cache / "spark" / std::string(version);
}

// user:password@ of URLs, which pip repeats in its messages.
std::string without_credentials(std::string text) {
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
    at += 3;
    const std::size_t end = text.find_first_of("/ \t\n'\")", at);
    const std::size_t host = text.substr(at, end - at).rfind('@');
    if (host != std::string::npos) text.replace(at, host, "***");
  }
  return text;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The line in which pip says what is wrong: the last "ERROR:", else the last line.
std::string telling_line(const std::string& log) {
  std::string_view found;
  std::string_view last;
  for (const std::string_view line : base::split(log, '\n')) {
    if (base::trim(line).empty()) continue;
    last = base::trim(line);
    if (line.starts_with("ERROR: ")) found = last.substr(7);
  }
  return base::printable(found.empty() ? last : found);
}

// The last line with a sign of a broken connection: pip warns of it, and then reports as its error
// that there is no such version. Empty when there is none.
std::string network_line(const std::string& log) {
  std::string found;
  for (const std::string_view line : base::split(log, '\n'))
    if (std::any_of(kNetworkSigns.begin(), kNetworkSigns.end(),
                    [&](std::string_view sign) { return contains(line, sign); }))
      found = base::printable(base::trim(line));
  return found;
}

Error pip_error(const ProcessOutcome& outcome, const std::string& what) {
  const std::string log = without_credentials(outcome.output + "\n" + outcome.log_tail);
  Error error;
  error.subject = what;
  error.message = fmt::format("pip failed: {}", telling_line(log));
  const std::string network = network_line(log);
  if (contains(log, "No space left on device")) {
    error.code = ErrorCode::io;
    error.message = "pip failed: no space left on device";
    error.remedy = "about 2 GB are needed while pip works (it uses TMPDIR), 0.9 GB in the end";
  } else if (!network.empty()) {
    error.code = ErrorCode::network;
    error.message = fmt::format("pip could not reach its package index: {}", network);
    error.remedy = "check the network, the proxy, and pip's configuration (pip config list)";
  } else if (contains(log, "No matching distribution found")) {
    error.code = ErrorCode::not_found;
    error.remedy = "check the version, and that pip's index has it";
  } else {
    error.code = ErrorCode::child_process;
  }
  return error;
}

Error venv_error(const ProcessOutcome& outcome) {
  const std::string log = outcome.output + "\n" + outcome.log_tail;
  Error error{ErrorCode::child_process, "", "python3 -m venv", std::nullopt, ""};
  if (contains(log, "ensurepip is not available") || contains(log, "No module named venv")) {
    error.code = ErrorCode::not_found;
    error.message = "this Python cannot make environments";
    error.remedy = "apt-get install python3-venv";
  } else if (contains(log, "No space left on device")) {
    error.code = ErrorCode::io;
    error.message = "no space left on device";
  } else {
    error.message = telling_line(log);
  }
  return error;
}

Result<void> make_environment(const SetupOptions& options, const fs::path& folder,
                              const RunContext& context) {
  using namespace std::chrono_literals;
  const auto task = context.progress->start(
      fmt::format("Spark {}: environment, packages, check", options.version),
      base::ProgressUnit::items, 3);
  const Environment environment = network_environment(options.host);
  auto made =
      run_process({{"python3", "-m", "venv", folder.string()}, environment, {}}, {}, 5min, context);
  if (!made) {
    if (made.error().code == ErrorCode::not_found)
      made.error().remedy = "apt-get install python3 python3-venv";
    return tl::unexpected<Error>(std::move(made).error());
  }
  if (!made->status.success()) return tl::unexpected<Error>(venv_error(*made));
  task->advance(1);

  const std::string python = (folder / "bin" / "python").string();
  const std::string what = options.requirement.empty() ? fmt::format("pyspark=={}", options.version)
                                                       : options.requirement;
  context.info(fmt::format("pip install {} (0.9 GB, some minutes)", what));
  ProcessSpec pip{{python, "-m", "pip", "install", "--no-input", "--progress-bar", "off",
                   "--disable-pip-version-check", what},
                  environment,
                  {}};
  pip.argv.insert(pip.argv.end(), kCompanions.begin(), kCompanions.end());
  ROWGATE_TRY(const ProcessOutcome installed, run_process(pip, {}, options.pip_deadline, context));
  if (!installed.status.success()) return tl::unexpected<Error>(pip_error(installed, what));
  task->advance(1);

  ROWGATE_TRY(
      const ProcessOutcome checked,
      run_process({{python, "-c", "import pyspark; print(pyspark.__version__)"}, environment, {}},
                  {}, 2min, context));
  const std::string_view found = base::trim(checked.output);
  if (!checked.status.success())
    return fail(ErrorCode::child_process,
                fmt::format("PySpark cannot be imported: {}", telling_line(checked.log_tail)),
                what);
  if (found != options.version)
    return fail(ErrorCode::usage,
                fmt::format("holds PySpark {}, not {}", base::printable(found), options.version),
                what);
  task->advance(1);
  return base::write_file_atomically(folder / kMarker, fmt::format("{}\n", what));
}

// lib/python3.11/site-packages/pyspark/jars of an environment; empty when there is none.
fs::path jars_folder(const fs::path& environment) {
  std::error_code error;
  for (fs::directory_iterator it(environment / "lib", error), end; !error && it != end;
       it.increment(error)) {
    fs::path jars = it->path() / "site-packages" / "pyspark" / "jars";
    if (std::error_code ignored; fs::is_directory(jars, ignored)) return jars;
  }
  return {};
}

}  // namespace

bool is_spark_version(std::string_view version) {
  if (version.empty() || version.size() > 32 || !is_digit(version.front())) return false;
  if (!is_alnum(version.back()) || version.find("..") != std::string_view::npos) return false;
  return std::all_of(version.begin(), version.end(),
                     [](char c) { return is_alnum(c) || c == '.' || c == '-'; });
}

Result<SparkInstallation> find_spark(const fs::path& cache, std::string_view version) {
  ROWGATE_CHECK(check_version(version));
  const fs::path folder = environment_folder(cache, version);
  std::error_code error;
  if (!fs::exists(folder / kMarker, error) || !fs::exists(folder / "bin" / "python", error))
    return fail(ErrorCode::not_found, fmt::format("Spark {} is not set up", version),
                folder.string(), std::nullopt,
                fmt::format("run `rowgate setup spark:{}`, or give a SPARK_HOME", version));
  ROWGATE_TRY(fs::path driver, install_spark_driver(cache));
  const fs::path absolute = fs::absolute(folder);
  return SparkInstallation{std::string(version),
                           absolute / "bin" / "python",
                           {},
                           std::move(driver),
                           jars_folder(absolute)};
}

Result<SparkInstallation> setup_spark(const SetupOptions& options, const RunContext& context) {
  ROWGATE_CHECK(check_version(options.version));
  if (auto found = find_spark(options.cache, options.version)) return found;
  const fs::path folder = environment_folder(options.cache, options.version);
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (error)
    return fail(ErrorCode::io, fmt::format("cannot create the folder: {}", error.message()),
                folder.parent_path().string());
  // The interpreter finds its environment relative to itself, so that the folder may be renamed.
  const fs::path parent = fs::absolute(folder.parent_path());
  remove_abandoned(parent, kPartialPrefix);
  ROWGATE_TRY(const WorkFolder partial, WorkFolder::create(parent, kPartialPrefix));
  ROWGATE_CHECK(make_environment(options, partial.path(), context));
  // An incomplete environment of an older version of this program, or one that another process has
  // just completed: then its rename came first and ours fails, which is as good.
  if (!fs::exists(folder / kMarker, error)) fs::remove_all(folder, error);
  fs::rename(partial.path(), folder, error);
  return find_spark(options.cache, options.version);
}

Result<SparkInstallation> use_spark_home(const fs::path& spark_home, const fs::path& cache,
                                         const Environment& host) {
  const std::string home = spark_home.string();
  std::error_code error;
  if (!fs::is_directory(spark_home, error))
    return fail(ErrorCode::not_found, "no such folder", home, std::nullopt,
                "SPARK_HOME must name the folder that holds bin/, jars/ and python/");
  // spark-core_2.13-4.1.3.jar tells the version, in Apache's distributions and in vendors'.
  std::string version;
  ROWGATE_TRY(const std::vector<fs::path> jars, base::list_files(spark_home / "jars", ".jar"));
  for (const fs::path& jar : jars) {
    const std::string name = jar.stem().string();
    const std::size_t dash = name.find('-', std::string_view("spark-core_").size());
    if (name.starts_with("spark-core_") && dash != std::string::npos)
      version = name.substr(dash + 1);
  }
  if (version.empty() || !fs::exists(spark_home / "python" / "pyspark", error))
    return fail(ErrorCode::malformed, "holds no Spark with Python (jars/spark-core_*.jar, python/)",
                home);
  ROWGATE_TRY(fs::path driver, install_spark_driver(cache));
  const auto path = host.find("PATH");
  for (const std::string_view part :
       base::split(path == host.end() ? std::string_view() : std::string_view(path->second), ':')) {
    const fs::path python = fs::path(part) / "python3";
    if (!part.empty() && ::access(python.c_str(), X_OK) == 0)
      return SparkInstallation{version, python, fs::absolute(spark_home), std::move(driver),
                               fs::absolute(spark_home) / "jars"};
  }
  return fail(ErrorCode::not_found, "no such program in PATH", "python3", std::nullopt,
              "apt-get install python3");
}

}  // namespace rowgate::harness
