// A process's cases on their way to the process that started it. Only what the report needs.
#include <nlohmann/json.hpp>

#include "harness/bench.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

json to_json(const BenchSample& sample) {
  return {sample.process, sample.block, sample.row, sample.place, sample.treatment, sample.seconds};
}

json to_json(const std::vector<BenchSample>& samples) {
  json list = json::array();
  for (const BenchSample& sample : samples) list.push_back(to_json(sample));
  return list;
}

std::vector<BenchSample> samples_of(const json& list) {
  std::vector<BenchSample> samples;
  for (const json& item : list) {
    if (item.size() != 6 || !(item.at(5).get<double>() > 0))
      throw std::out_of_range("a run has five numbers and a time");
    samples.push_back({item.at(0), item.at(1), item.at(2), item.at(3), item.at(4), item.at(5)});
  }
  return samples;
}

json to_json(const WorkloadShape& shape) {
  return {shape.rows,     shape.files,       shape.batches,     shape.events,
          shape.disorder, shape.delete_rate, shape.insert_rate, shape.skew};
}

WorkloadShape shape_of(const json& list) {
  return {list.at(0), list.at(1), list.at(2), list.at(3),
          list.at(4), list.at(5), list.at(6), list.at(7)};
}

json to_json(const BenchTreatment& treatment) {
  json how = json::array();
  for (const Wrong wrong : treatment.verdict.how) how.push_back(std::string(to_string(wrong)));
  json object = {{"label", treatment.label},
                 {"outcome", std::string(to_string(treatment.verdict.outcome))},
                 {"how", std::move(how)},
                 {"timed", treatment.timed},
                 {"first_seconds", treatment.first_seconds},
                 {"metrics", treatment.metrics}};
  if (treatment.verdict.failure)
    object["failure"] = {{"message", treatment.verdict.failure->message},
                         {"name", treatment.verdict.failure->error_name}};
  return object;
}

Failure failure_of(const json& object) {
  Failure failure;
  failure.message = object.at("message");
  failure.error_name = object.at("name");
  return failure;
}

BenchTreatment treatment_of(const json& object) {
  BenchTreatment treatment;
  treatment.label = object.at("label");
  const auto outcome = outcome_from_string(object.at("outcome").get<std::string>());
  if (!outcome) throw std::out_of_range("there is no such outcome");
  treatment.verdict.outcome = *outcome;
  for (const json& name : object.at("how"))
    if (const auto wrong = wrong_from_string(name.get<std::string>()))
      treatment.verdict.how.push_back(*wrong);
  treatment.timed = object.at("timed");
  treatment.first_seconds = object.at("first_seconds");
  treatment.metrics = object.at("metrics").get<std::map<std::string, std::string>>();
  if (object.contains("failure")) treatment.verdict.failure = failure_of(object.at("failure"));
  return treatment;
}

}  // namespace

std::string write_cases(std::span<const BenchCase> cases) {
  json list = json::array();
  for (const BenchCase& what : cases) {
    json object = {{"shape", to_json(what.shape)},
                   {"treatments", json::array()},
                   {"plan", what.plan},
                   {"samples", to_json(what.samples)},
                   {"same", to_json(what.same)},
                   {"blocks_wanted", what.blocks_wanted},
                   {"budget_cut", what.budget_cut},
                   {"stopped", what.stopped}};
    for (const BenchTreatment& treatment : what.treatments)
      object["treatments"].push_back(to_json(treatment));
    if (what.failure)
      object["failure"] = {{"message", what.failure->message}, {"name", what.failure->error_name}};
    list.push_back(std::move(object));
  }
  return list.dump(-1, ' ', true, json::error_handler_t::replace);
}

Result<std::vector<BenchCase>> read_cases(std::string_view text) {
  try {
    std::vector<BenchCase> cases;
    for (const json& object : json::parse(text)) {
      BenchCase what;
      what.shape = shape_of(object.at("shape"));
      for (const json& treatment : object.at("treatments"))
        what.treatments.push_back(treatment_of(treatment));
      what.plan = object.at("plan").get<std::vector<std::vector<RunRow>>>();
      what.samples = samples_of(object.at("samples"));
      what.same = samples_of(object.at("same"));
      for (const BenchSample& sample : what.samples)
        if (sample.treatment >= what.treatments.size())
          throw std::out_of_range("a run of no strategy");
      what.blocks_wanted = object.at("blocks_wanted");
      what.budget_cut = object.at("budget_cut");
      what.stopped = object.at("stopped");
      if (object.contains("failure")) what.failure = failure_of(object.at("failure"));
      cases.push_back(std::move(what));
    }
    return cases;
  } catch (const std::exception& error) {
    return fail(ErrorCode::malformed, error.what(), "a bench process's answer");
  }
}

}  // namespace rowgate::harness
