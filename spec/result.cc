#include "spec/result.h"

#include <fmt/format.h>

#include <array>

namespace pacbench {
namespace {

/// One key of a cell: where it lives, what it may be and what it means. Writing, reading and the
/// schema all go by these tables, so that they cannot disagree.
template <typename Value>
struct Field {
  const char* key;
  Value CellResult::*member;
  const char* help;
};

constexpr std::array<Field<double>, 17> kNumbers{{
    {"training_s", &CellResult::training_s, "training clock of rank 0 at the end, s"},
    {"time_per_iteration_s", &CellResult::time_per_iteration_s, "median step of rank 0, s"},
    {"samples_per_s", &CellResult::samples_per_s, "over all workers"},
    {"final_accuracy", &CellResult::final_accuracy, "of the last evaluation"},
    {"best_accuracy", &CellResult::best_accuracy, "highest of all evaluations"},
    {"measured_bytes_per_iteration", &CellResult::measured_bytes_per_iteration,
     "wire bytes that a worker sent, mean over workers"},
    {"received_bytes_per_iteration", &CellResult::received_bytes_per_iteration,
     "wire bytes that a worker received, mean over workers"},
    {"expected_bytes_per_iteration", &CellResult::expected_bytes_per_iteration,
     "bytes the method declares, with headers, mean over workers"},
    {"payload_bytes_per_iteration", &CellResult::payload_bytes_per_iteration,
     "bytes handed to collectives, mean over workers"},
    {"compute_s", &CellResult::compute_s, "median forward and backward, s"},
    {"exposed_s", &CellResult::exposed_s, "median wait for means after backward, s"},
    {"encode_s", &CellResult::encode_s,
     "median exchange time of all buckets without a collective of theirs under way, s"},
    {"wire_s", &CellResult::wire_s, "median time with at least one collective under way, s"},
    {"scheduling_floor_ms", &CellResult::scheduling_floor_ms,
     "median of small all-reduces before the clock, ms"},
    {"pruning_s", &CellResult::pruning_s, "share of training_s spent on pruning, s"},
    {"kept_fraction", &CellResult::kept_fraction, "of the prunable weights"},
    {"pretrain_s", &CellResult::pretrain_s, "spent before the clock, once for all methods, s"},
}};

constexpr std::array<Field<std::optional<double>>, 6> kSamples{{
    {"compacted_from", &CellResult::compacted_from,
     "first iteration in which every bucket was compacted to its mask; null: none"},
    {"dense_share", &CellResult::dense_share,
     "share of bucket exchanges that were dense because the mask was not settled"},
    {"overlap", &CellResult::overlap, "median share of wire_s that is not exposed"},
    {"vnmse", &CellResult::vnmse,
     "squared error of the aggregated gradient over the squared mean, median over samples"},
    {"cosine", &CellResult::cosine, "of aggregated gradient and exact mean, median over samples"},
    {"residual_norm", &CellResult::residual_norm,
     "what error feedback held back in the last sample"},
}};

constexpr std::array<Field<std::int64_t>, 5> kCounts{{
    {"seed", &CellResult::seed, "seed of weights, data order and methods"},
    {"iterations", &CellResult::iterations, "iterations that rank 0 finished"},
    {"retransmits", &CellResult::retransmits, "TCP segments sent again, all workers"},
    {"dropped_packets", &CellResult::dropped_packets, "dropped by the shaped queues, all workers"},
    {"peak_resident_bytes", &CellResult::peak_resident_bytes, "memory of the largest worker"},
}};

const std::vector<std::string> kStatuses{"done", "failed", "skipped", "interrupted"};
const std::vector<std::string> kLinkWords{"ok", "suspect"};
const std::vector<std::string> kHostWords{"ok", "cpu-bound"};

template <typename Value>
Json optional_to_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const TargetResult& target) {
  return {{"accuracy", target.accuracy},
          {"tta_s", optional_to_json(target.tta_s)},
          {"iterations", optional_to_json(target.iterations)}};
}

Json to_json(const Verdict& verdict) {
  return {{"word", verdict.word}, {"reasons", verdict.reasons}};
}

/// A key that must be there but may hold null; true when it holds a value.
bool holds_value(ObjectReader& reader, const char* key) {
  if (!reader.has(key)) reader.complain(key, "missing, expected a number or null");
  return !reader.raw(key).is_null();
}

TargetResult read_target(ObjectReader& reader) {
  TargetResult target;
  target.accuracy = reader.number("accuracy", Range::ratio());
  if (holds_value(reader, "tta_s")) target.tta_s = reader.number("tta_s", Range::at_least(0));
  if (holds_value(reader, "iterations")) {
    target.iterations = reader.integer("iterations", Range::at_least(0));
  }
  if (target.tta_s.has_value() != target.iterations.has_value()) {
    reader.complain("", "expected tta_s and iterations both reached, or both null");
  }
  reader.finish();
  return target;
}

bool required_boolean(ObjectReader& reader, const char* key) {
  if (!reader.has(key)) reader.complain(key, "missing, expected true or false");
  return reader.boolean_or(key, false);
}

Verdict read_verdict(ObjectReader reader, const std::vector<std::string>& words) {
  Verdict verdict;
  verdict.word = reader.choice("word", words);
  const auto& reasons = reader.raw("reasons");
  if (!reasons.is_array()) {
    reader.complain("reasons",
                    fmt::format("found {}, expected an array of strings", describe_found(reasons)));
  } else {
    for (const auto& reason : reasons) {
      if (reason.is_string()) {
        verdict.reasons.push_back(reason);
      } else {
        reader.complain("reasons",
                        fmt::format("found {}, expected a string", describe_found(reason)));
      }
    }
  }
  reader.finish();
  return verdict;
}

/// A string that must be there but may be empty.
std::string read_string(ObjectReader& reader, const char* key) {
  const auto& text = reader.raw(key);
  if (text.is_string()) return text;
  reader.complain(key, fmt::format("found {}, expected a string", describe_found(text)));
  return "";
}

CellResult read_cell(ObjectReader& reader) {
  CellResult cell;
  cell.label = reader.text("label");
  cell.link = reader.text("link");
  cell.status = reader.choice("status", kStatuses);
  cell.reason = read_string(reader, "reason");
  cell.mask_sample = read_string(reader, "mask_sample");
  for (auto& target : reader.objects("targets")) cell.targets.push_back(read_target(target));
  for (const auto& field : kNumbers) {
    cell.*field.member = reader.number(field.key, Range::at_least(0));
  }
  for (const auto& field : kSamples) {
    if (holds_value(reader, field.key)) cell.*field.member = reader.number(field.key, {});
  }
  for (const auto& field : kCounts) {
    cell.*field.member = reader.integer(field.key, Range::at_least(0));
  }
  cell.stopped_at_target = required_boolean(reader, "stopped_at_target");
  cell.real_time = required_boolean(reader, "real_time");
  cell.link_verdict = read_verdict(reader.object("link_verdict"), kLinkWords);
  cell.host_verdict = read_verdict(reader.object("host_verdict"), kHostWords);
  reader.finish();
  return cell;
}

/// A closed object: no key but these, and all of these.
Json closed_object(const Json& properties) {
  Json required = Json::array();
  for (const auto& [key, value] : properties.items()) required.push_back(key);
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", required},
          {"properties", properties}};
}

Json array_of(const Json& items) { return {{"type", "array"}, {"items", items}}; }

Json verdict_schema(const std::vector<std::string>& words) {
  return closed_object({{"word", {{"enum", words}}}, {"reasons", array_of({{"type", "string"}})}});
}

Json target_schema() {
  return closed_object(
      {{"accuracy", {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}}},
       {"tta_s",
        {{"type", {"number", "null"}},
         {"minimum", 0},
         {"description", "training-clock seconds to the sustained crossing; null: DNF"}}},
       {"iterations",
        {{"type", {"integer", "null"}},
         {"minimum", 0},
         {"description", "iteration of the evaluation that crossed; null: DNF"}}}});
}

Json cell_schema() {
  const Json name{{"type", "string"}, {"minLength", 1}};
  Json properties{
      {"label", name},
      {"link", name},
      {"status", {{"enum", kStatuses}}},
      {"reason", {{"type", "string"}, {"description", "why it is not done"}}},
      {"mask_sample",
       {{"type", "string"},
        {"description", "whether each of a fixed choice of weights is kept, as hexadecimal bits"}}},
      {"targets", array_of(target_schema())},
      {"stopped_at_target",
       {{"type", "boolean"}, {"description", "final accuracy is the one at the stop"}}},
      {"real_time",
       {{"type", "boolean"}, {"description", "communication threads ran in a real-time class"}}},
      {"link_verdict", verdict_schema(kLinkWords)},
      {"host_verdict", verdict_schema(kHostWords)}};
  for (const auto& field : kNumbers) {
    properties[field.key] = {{"type", "number"}, {"minimum", 0}, {"description", field.help}};
  }
  for (const auto& field : kSamples) {
    properties[field.key] = {{"type", {"number", "null"}}, {"description", field.help}};
  }
  for (const auto& field : kCounts) {
    properties[field.key] = {{"type", "integer"}, {"minimum", 0}, {"description", field.help}};
  }
  return closed_object(properties);
}

}  // namespace

Json to_json(const CellResult& cell) {
  Json targets = Json::array();
  for (const auto& target : cell.targets) targets.push_back(to_json(target));
  Json node{{"label", cell.label},
            {"link", cell.link},
            {"status", cell.status},
            {"reason", cell.reason},
            {"mask_sample", cell.mask_sample},
            {"targets", targets},
            {"stopped_at_target", cell.stopped_at_target},
            {"real_time", cell.real_time},
            {"link_verdict", to_json(cell.link_verdict)},
            {"host_verdict", to_json(cell.host_verdict)}};
  for (const auto& field : kNumbers) node[field.key] = cell.*field.member;
  for (const auto& field : kSamples) node[field.key] = optional_to_json(cell.*field.member);
  for (const auto& field : kCounts) node[field.key] = cell.*field.member;
  return node;
}

Json to_json(const RunResult& result) {
  Json cells = Json::array();
  for (const auto& cell : result.cells) cells.push_back(to_json(cell));
  return {{"format", RunResult::kFormat},
          {"mode", result.mode},
          {"scenario", result.scenario},
          {"comparison_hash", result.comparison_hash},
          {"cells", cells}};
}

CellResult cell_result_from_json(const std::string& source, const Json& node) {
  std::vector<Issue> issues;
  ObjectReader reader{node, "", issues};
  auto cell = read_cell(reader);
  if (!issues.empty()) throw ConfigError{source, issues};
  return cell;
}

RunResult run_result_from_json(const std::string& source, const Json& document) {
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  RunResult result;
  const auto format = reader.text("format");
  if (!format.empty() && format != RunResult::kFormat) {
    // Another version's keys are no mistakes of this one.
    throw ConfigError{
        source,
        {{"/format", fmt::format("found \"{}\", expected \"{}\"", format, RunResult::kFormat)}}};
  }
  result.mode = reader.text("mode");
  result.scenario = reader.raw("scenario");
  if (!result.scenario.is_object()) {
    reader.complain("scenario",
                    fmt::format("found {}, expected an object", describe_found(result.scenario)));
  }
  result.comparison_hash = reader.text("comparison_hash");
  for (auto& cell : reader.objects("cells")) result.cells.push_back(read_cell(cell));
  reader.finish();
  if (!issues.empty()) throw ConfigError{source, issues};
  return result;
}

Json result_schema() {
  const Json scenario{{"type", "object"},
                      {"description", "canonical form, see `pacbench schema scenario`"}};
  auto schema =
      closed_object({{"format", {{"const", RunResult::kFormat}}},
                     {"mode", {{"type", "string"}, {"minLength", 1}}},
                     {"scenario", scenario},
                     {"comparison_hash",
                      {{"type", "string"},
                       {"pattern", "^[0-9a-f]{64}$"},
                       {"description", "runs with the same hash may be merged and compared"}}},
                     {"cells", array_of(cell_schema())}});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "pacbench result";
  return schema;
}

}  // namespace pacbench
