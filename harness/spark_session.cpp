#include "harness/spark_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/failure.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

constexpr unsigned kMaxDeaths = 2;  // the first start, and one more
// A hung statement says little about the session: others deserve a new one, within reason.
constexpr unsigned kMaxHangs = 3;
constexpr std::string_view kWorkPrefix = "rowgate-spark-";
constexpr std::size_t kEvidenceLines = 20;

std::string first_line(std::string_view text) {
  text = base::trim(text);
  return base::printable(base::trim(text.substr(0, text.find('\n'))));
}

std::string string_field(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// "NoSuchMethodError" of "java.lang.NoSuchMethodError"
std::string simple_name(const std::string& java_class) {
  return java_class.substr(java_class.rfind('.') + 1);
}

const std::set<std::string, std::less<>> kLinkageErrors = {
    "LinkageError",         "NoClassDefFoundError",         "NoSuchMethodError",
    "NoSuchFieldError",     "AbstractMethodError",          "IncompatibleClassChangeError",
    "IllegalAccessError",   "InstantiationError",           "VerifyError",
    "ClassFormatError",     "UnsupportedClassVersionError", "ExceptionInInitializerError",
    "BootstrapMethodError", "ClassCircularityError",        "ClassNotFoundException",
};

// Conditions that speak of the target, not of the data: no other input would be accepted.
bool is_about_target(const std::string& condition) {
  return condition == "AUTOCDC_TARGET_DOES_NOT_SUPPORT_MERGE" || condition == "NOT_EXPECTED_TYPE" ||
         condition == "UNSUPPORTED_FEATURE.TABLE_OPERATION";
}

// Spark Connect's exceptions that say no more than that something failed on the server.
bool is_unknown_to_client(const std::string& python_class) {
  return python_class == "SparkConnectGrpcException" || python_class == "UnknownException";
}

// Neither the data nor the engine: the machine had no more of something.
bool is_about_machine(const json& error) {
  const auto says = [](const json& cause) {
    return string_field(cause, "message").find("No space left on device") != std::string::npos ||
           string_field(cause, "java_class") == "java.lang.OutOfMemoryError";
  };
  if (says(error)) return true;
  const auto causes = error.find("causes");
  return causes != error.end() && causes->is_array() &&
         std::any_of(causes->begin(), causes->end(), says);
}

void append_lines(std::vector<std::string>& lines, std::string_view text, std::size_t count) {
  std::vector<std::string> last;
  for (const std::string_view line : base::split(text, '\n'))
    if (!base::trim(line).empty()) last.push_back(base::printable(line.substr(0, 400)));
  const std::size_t from = last.size() > count ? last.size() - count : 0;
  lines.insert(lines.end(), last.begin() + static_cast<std::ptrdiff_t>(from), last.end());
}

// A JVM or Python that found no room ends in many ways; its log says why.
void note_full_disk(Failure& failure) {
  const auto says = [](const std::string& line) {
    return line.find("No space left on device") != std::string::npos;
  };
  if (says(failure.message)) {
    failure.error_name = "disk-full";
  } else if (std::any_of(failure.evidence.begin(), failure.evidence.end(), says)) {
    failure.error_name = "disk-full";
    failure.message += ": No space left on device";
  }
}

Failure not_run(std::string message) {
  return make_failure(FailureKind::not_run, std::move(message));
}

Environment driver_environment(const SessionOptions& options, const std::filesystem::path& work) {
  Environment environment = minimal_environment(options.host);
  const SparkInstallation& spark = options.installation;
  environment["TZ"] = "UTC";
  environment["TMPDIR"] = (work / "tmp").string();
  environment["PYSPARK_PYTHON"] = spark.python.string();
  environment["PYSPARK_DRIVER_PYTHON"] = spark.python.string();
  environment["PYTHONDONTWRITEBYTECODE"] = "1";
  if (options.master.starts_with("local")) environment["SPARK_LOCAL_IP"] = "127.0.0.1";
  if (!spark.spark_home.empty()) {
    environment["SPARK_HOME"] = spark.spark_home.string();
    std::string path = (spark.spark_home / "python").string();
    if (const auto zips = base::list_files(spark.spark_home / "python" / "lib", ".zip"); zips)
      for (const auto& zip : *zips) path += ":" + zip.string();
    environment["PYTHONPATH"] = path;
  }
  return environment;
}

}  // namespace

std::map<std::string, std::string> fast_settings() {
  return {
      {"spark.ui.enabled", "false"},
      {"spark.ui.showConsoleProgress", "false"},
      {"spark.sql.shuffle.partitions", "1"},
      {"spark.default.parallelism", "1"},
      {"spark.sql.catalogImplementation", "in-memory"},
      {"spark.sql.adaptive.enabled", "false"},
      {"spark.sql.session.timeZone", "UTC"},
      {"spark.driver.extraJavaOptions", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"},
      {"spark.databricks.delta.snapshotPartitions", "1"},
  };
}

Failure failure_from_driver(const json& error) {
  Failure failure;
  failure.kind = FailureKind::refused;
  const std::string message = string_field(error, "message");
  const std::string condition = string_field(error, "condition");
  const std::string java_class = string_field(error, "java_class");
  const std::string name = simple_name(java_class);
  failure.message = first_line(message);
  failure.statement = string_field(error, "statement");
  failure.error_name = !condition.empty() ? condition
                       : !name.empty()    ? name
                                          : string_field(error, "python_class");
  if (is_about_machine(error)) {
    failure.kind = FailureKind::not_run;
    failure.error_name =
        simple_name(java_class) == "OutOfMemoryError" ? "out-of-memory" : "disk-full";
  } else if (kLinkageErrors.contains(name)) {
    failure.kind = FailureKind::unsupported;
    failure.error_name = name;
    failure.message = fmt::format("{}: {}", name, failure.message);
  } else if (is_about_target(condition)) {
    failure.kind = FailureKind::unsupported;
  } else if (condition.empty() && is_unknown_to_client(string_field(error, "python_class"))) {
    failure.kind = FailureKind::not_run;
  } else if (string_field(error, "python_class") == "DriverError") {
    failure.error_name = string_field(error, "kind");
    if (failure.error_name != "width") failure.kind = FailureKind::not_run;
  }
  if (const std::string state = string_field(error, "sqlstate"); !state.empty())
    failure.evidence.push_back(fmt::format("SQLSTATE {}", base::printable(state)));
  if (!java_class.empty()) failure.evidence.push_back(base::printable(java_class));
  if (const auto stack = error.find("stack"); stack != error.end() && stack->is_array())
    for (const json& frame : *stack)
      if (frame.is_string() && failure.evidence.size() < kEvidenceLines)
        failure.evidence.push_back("at " + base::printable(frame.get<std::string>()));
  return failure;
}

SparkSession::SparkSession(SessionOptions options, const RunContext& context)
    : options_(std::move(options)), context_(context) {}

SparkSession::~SparkSession() {
  stop();
}

void SparkSession::stop() {
  using namespace std::chrono_literals;
  if (driver_) driver_->finish(10s);
  driver_.reset();
  work_.reset();
}

int SparkSession::process_id() const {
  return driver_ && driver_->running() ? driver_->process_id() : 0;
}

const std::filesystem::path& SparkSession::work_folder() const {
  static const std::filesystem::path none;
  return work_ ? work_->path() : none;
}

std::string SparkSession::log_tail() const {
  return driver_ ? driver_->log_tail() : std::string();
}

Failure SparkSession::driver_failure(const Error& error, std::string_view doing) {
  Failure failure = not_run(fmt::format("{}: the driver {}", doing, error.message));
  if (error.code == ErrorCode::interrupted) {
    failure.message = "interrupted";
    failure.error_name = "interrupted";
  } else if (driver_ && driver_->hit_deadline()) {
    failure.error_name = "deadline";
  } else {
    failure.error_name = "driver-died";
  }
  if (driver_) append_lines(failure.evidence, driver_->log_tail(), kEvidenceLines);
  note_full_disk(failure);
  return failure;
}

Attempt<void> SparkSession::start() {
  remove_abandoned(options_.work_parent, kWorkPrefix);
  auto work = WorkFolder::create(options_.work_parent, kWorkPrefix);
  if (!work) return tl::unexpected(not_run(work.error().to_string()));
  const std::filesystem::path folder = work->path();
  work_ = std::move(*work);
  std::error_code error;
  for (const char* sub : {"tmp", "warehouse", "sources"})
    if (!std::filesystem::create_directory(folder / sub, error) && error)
      return tl::unexpected(not_run(fmt::format("{}: cannot create the folder: {}",
                                                (folder / sub).string(), error.message())));
  const SparkInstallation& spark = options_.installation;
  ProcessSpec spec{{spark.python.string(), "-u", spark.driver.string()},
                   driver_environment(options_, folder),
                   folder};
  auto child = ChildProcess::start(spec, {});
  if (!child) return tl::unexpected(not_run(child.error().to_string()));
  driver_ = std::move(*child);
  end_noted_ = false;

  json conf = {{"spark.sql.warehouse.dir", (folder / "warehouse").string()},
               {"spark.local.dir", (folder / "tmp").string()}};
  if (options_.master.starts_with("local")) {
    conf["spark.driver.host"] = "127.0.0.1";
    conf["spark.driver.bindAddress"] = "127.0.0.1";
  }
  for (const auto& [name, value] : options_.conf) {
    std::string text = value;
    for (std::size_t at = text.find("${work}"); at != std::string::npos; at = text.find("${work}"))
      text.replace(at, std::string_view("${work}").size(), folder.string());
    conf[name] = std::move(text);
  }
  // What the JVM leaves behind goes with the folder, also when it is killed.
  const std::string java_options = conf.value("spark.driver.extraJavaOptions", "");
  conf["spark.driver.extraJavaOptions"] =
      fmt::format("{} \"-Djava.io.tmpdir={}\"", java_options, (folder / "tmp").string());
  const json command = {{"command", "session"},
                        {"master", options_.master},
                        {"connect", options_.connect},
                        {"work_dir", (folder / "sources").string()},
                        {"conf", std::move(conf)}};
  context_.info(fmt::format("starting Spark {}{} on {}", spark.version,
                            options_.connect ? " with Spark Connect" : "", options_.master));
  const auto progress = context_.progress->start(fmt::format("starting Spark {}", spark.version),
                                                 base::ProgressUnit::items, std::nullopt);
  progress->advance(0);
  ++generation_;
  const auto answer = driver_->request(command.dump(), options_.start_deadline, context_);
  if (!answer) return tl::unexpected(driver_failure(answer.error(), "starting the session"));
  const json reply = json::parse(*answer, nullptr, false);
  if (reply.is_object() && reply.value("ok", false)) return {};
  Failure failure = not_run("the driver sent something that is no answer");
  if (reply.is_object() && reply.contains("error")) failure = failure_from_driver(reply["error"]);
  if (failure.kind == FailureKind::refused) failure.kind = FailureKind::not_run;
  failure.message = fmt::format("the session cannot be started: {}", failure.message);
  append_lines(failure.evidence, driver_->log_tail(), kEvidenceLines);
  note_full_disk(failure);
  return tl::unexpected(std::move(failure));
}

// Counts the end of the present driver, once.
void SparkSession::note_end() {
  if (end_noted_) return;
  end_noted_ = true;
  ++(driver_->hit_deadline() ? hangs_ : deaths_);
}

Attempt<void> SparkSession::ensure_started() {
  if (driver_ && driver_->running()) return {};
  if (driver_) note_end();
  if (cannot_start_) return tl::unexpected(*cannot_start_);
  if (context_.stopped()) {
    Failure failure = not_run("interrupted");
    failure.error_name = "interrupted";
    return tl::unexpected(std::move(failure));
  }
  if (deaths_ >= kMaxDeaths || hangs_ >= kMaxHangs) {
    cannot_start_ = not_run(
        fmt::format("the driver ended {} times and was not started again", deaths_ + hangs_));
    cannot_start_->error_name = "driver-died";
    if (driver_) append_lines(cannot_start_->evidence, driver_->log_tail(), kEvidenceLines);
    return tl::unexpected(*cannot_start_);
  }
  if (driver_) context_.warn("the Spark driver ended: starting it once more");
  stop();
  Attempt<void> started = start();
  if (!started && !context_.stopped()) {
    cannot_start_ = started.error();
    if (driver_) driver_->kill();
  }
  return started;
}

Attempt<json> SparkSession::request(const json& command) {
  if (Attempt<void> started = ensure_started(); !started)
    return tl::unexpected(std::move(started).error());
  const auto answer = driver_->request(command.dump(), options_.statement_deadline, context_);
  if (!answer) {
    if (answer.error().code == ErrorCode::interrupted)
      end_noted_ = true;
    else
      note_end();
    Failure failure = driver_failure(answer.error(), command.value("command", ""));
    return tl::unexpected(std::move(failure));
  }
  json reply = json::parse(*answer, nullptr, false);
  if (!reply.is_object() || !reply.contains("ok") || !reply["ok"].is_boolean())
    return tl::unexpected(not_run("the driver sent something that is no answer"));
  if (reply["ok"].get<bool>()) return reply;
  last_error_ = reply.value("error", json::object());
  return tl::unexpected(failure_from_driver(last_error_));
}

}  // namespace rowgate::harness
