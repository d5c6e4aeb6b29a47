// The one file that includes the JSON library. Its SAX interface hands over numbers as they are
// written, so decimals and large integers lose nothing; nested objects are flattened on the way, so
// the depth is the only state and is bounded.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "harness/history_record.hpp"

namespace rowgate::harness {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxFields = 1'000;

class Flattener {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  bool null() {
    if (path_.empty()) {
      record_.is_null = true;
      return true;
    }
    return put(RawValue::Kind::null, "");
  }
  bool boolean(bool value) { return put(RawValue::Kind::boolean, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) {
    return put(RawValue::Kind::integer, fmt::format("{}", value));
  }
  bool number_unsigned(number_unsigned_t value) {
    return put(RawValue::Kind::integer, fmt::format("{}", value));
  }
  bool number_float(number_float_t, const string_t& text) {
    // An integer beyond 64 bits comes here too.
    const bool integer = text.find_first_of(".eE") == std::string::npos;
    return put(integer ? RawValue::Kind::integer : RawValue::Kind::number, text);
  }
  bool string(string_t& text) { return put(RawValue::Kind::text, text); }
  bool binary(binary_t&) { return stop("binary values are not supported"); }
  bool start_object(std::size_t) {
    if (path_.size() >= kMaxDepth) return stop("nested too deeply");
    path_.emplace_back();
    return true;
  }
  bool key(string_t& name) {
    path_.back() = name;
    return true;
  }
  bool end_object() {
    path_.pop_back();
    return true;
  }
  bool start_array(std::size_t) { return stop("arrays are not supported"); }
  bool end_array() { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) {
    // The library's text begins with its own code in brackets.
    std::string text = error.what();
    if (const std::size_t end = text.find("] "); end != std::string::npos) text.erase(0, end + 2);
    offset = position;
    return stop(base::printable(text.substr(0, 200)));
  }

  std::string problem;
  std::size_t offset = 0;
  RawRecord take() { return std::move(record_); }

 private:
  bool stop(std::string why) {
    if (problem.empty()) problem = std::move(why);
    return false;
  }
  bool put(RawValue::Kind kind, std::string text) {
    if (path_.empty()) return stop("a line is one JSON object");
    std::string name;
    for (const std::string& part : path_) name += (name.empty() ? "" : ".") + part;
    if (record_.fields.size() >= kMaxFields) return stop("too many fields");
    if (record_.fields.emplace(name, RawValue{kind, std::move(text)}).second)
      record_.order.push_back(std::move(name));
    return true;
  }

  std::vector<std::string> path_;
  RawRecord record_;
};

}  // namespace

Result<RawRecord> parse_json_record(std::string_view line) {
  Flattener flattener;
  bool good = false;
  try {
    good = nlohmann::json::sax_parse(line, &flattener);
  } catch (const std::exception& error) {
    return fail(ErrorCode::malformed, base::printable(error.what()));
  }
  if (!good) return fail(ErrorCode::malformed, flattener.problem, {}, flattener.offset);
  return flattener.take();
}

}  // namespace rowgate::harness
