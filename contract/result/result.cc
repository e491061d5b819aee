#include "contract/result/result.h"

#include "base/json/folder_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/checked_keys.h"
#include "base/json/json_checksum.h"
#include "contract/result/result_fields.h"
#include "contract/scenario/program.h"

namespace pacbench {
namespace {

using namespace result_fields;

Json to_json(const TargetResult& target) {
  Json node{{target.target.metric, target.target.value},
            {"tta_s", json_fields::written(target.tta_s)},
            {"iterations", json_fields::written(target.iterations)}};
  if (target.tta_low_s) node["tta_low_s"] = *target.tta_low_s;
  if (target.tta_high_s) node["tta_high_s"] = *target.tta_high_s;
  if (target.tta_unrepaired_s) node["tta_unrepaired_s"] = *target.tta_unrepaired_s;
  if (target.unconfirmed) node["unconfirmed"] = true;
  return node;
}

Json to_json(const Verdict& verdict) {
  return {{"word", verdict.word}, {"reasons", verdict.reasons}};
}

/// Reads a key that must be there but may hold null; returns true when it holds a value.
bool holds_value(ObjectReader& reader, const char* key) {
  if (!reader.has(key)) reader.complain(key, "missing, expected a number or null");
  return !reader.raw(key).is_null();
}

TargetResult read_target(ObjectReader& reader) {
  TargetResult target;
  target.target.metric = reader.has(kLoss) ? kLoss : kAccuracy;
  const auto range = reader.has(kLoss) ? Range::at_least(0) : Range::ratio();
  target.target.value = reader.number(target.target.metric, range);
  if (holds_value(reader, "tta_s")) target.tta_s = reader.number("tta_s", Range::at_least(0));
  if (holds_value(reader, "iterations")) {
    target.iterations = reader.integer("iterations", Range::at_least(0));
  }
  if (reader.has("tta_low_s")) target.tta_low_s = reader.number("tta_low_s", Range::at_least(0));
  if (reader.has("tta_high_s")) target.tta_high_s = reader.number("tta_high_s", Range::at_least(0));
  if (reader.has("tta_unrepaired_s")) {
    target.tta_unrepaired_s = reader.number("tta_unrepaired_s", Range::at_least(0));
  }
  target.unconfirmed = reader.boolean_or("unconfirmed", false);
  if (target.tta_s.has_value() != target.iterations.has_value()) {
    reader.complain("", "expected numbers for both tta_s and iterations, or null for both");
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

/// Reads a string that must be there but may be empty.
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
  require_folder_name(reader, "label", cell.label);
  require_folder_name(reader, "link", cell.link);
  cell.status = read_word<CellStatus>(reader, "status");
  cell.reason = read_string(reader, "reason");
  cell.mask_sample = read_string(reader, "mask_sample");
  for (auto& target : reader.objects("targets")) cell.targets.push_back(read_target(target));
  for (const auto& field : kNumbers) {
    cell.*field.member = reader.number(field.key, Range::at_least(0));
  }
  for (const auto& field : kSamples) {
    if (holds_value(reader, field.key)) cell.*field.member = reader.number(field.key, {});
  }
  for (const auto& field : kLater) {
    if (reader.has(field.key) && holds_value(reader, field.key)) {
      cell.*field.member = reader.number(field.key, Range::at_least(0));
    }
  }
  for (const auto& field : kCounts) {
    cell.*field.member = reader.integer(field.key, Range::at_least(0));
  }
  cell.stopped_at_target = required_boolean(reader, "stopped_at_target");
  cell.real_time = required_boolean(reader, "real_time");
  cell.link_verdict = read_verdict(reader.object("link_verdict"), kLinkWords);
  cell.host_verdict = read_verdict(reader.object("host_verdict"), kHostWords);
  if (reader.has("machine_verdict")) {
    cell.machine_verdict = read_verdict(reader.object("machine_verdict"), kMachineWords);
  }
  reader.finish();
  return cell;
}

/// The period of a method that says it does not exchange in every iteration.
std::optional<double> declared_period(const Json& scenario, const std::string& label) {
  for (const auto& method : scenario.value("methods", Json::array())) {
    if (!method.is_object() || method.value("label", "") != label) continue;
    const auto every = method.find("every");
    if (every != method.end() && every->is_number()) return every->get<double>();
  }
  return std::nullopt;
}

}  // namespace

bool has_curve(const Json& scenario) {
  if (is_program_alone(scenario)) return !scenario.at("targets").empty();
  return mode_traits(scenario.value("mode", Mode::kEmulate)).trains ||
         !scenario.at("compose").value("curve", "").empty();
}

bool may_evaluate(const Json& scenario) {
  return has_curve(scenario) || is_program_alone(scenario);
}

std::string cell_name(const std::string& label, const std::string& link, std::int64_t seed) {
  return fmt::format("{}-{}-{}", label, link, seed);
}

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
  for (const auto& field : kSamples) node[field.key] = json_fields::written(cell.*field.member);
  for (const auto& field : kLater) node[field.key] = json_fields::written(cell.*field.member);
  for (const auto& field : kCounts) node[field.key] = cell.*field.member;
  if (cell.machine_verdict) node["machine_verdict"] = to_json(*cell.machine_verdict);
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
    // The keys of another version are not reported: they are no mistakes.
    throw ConfigError{
        source,
        {{"/format",
          fmt::format("found \"{}\", expected \"{}\": read it with the pacbench that wrote it",
                      format, RunResult::kFormat)}}};
  }
  result.mode = read_word<Mode>(reader, "mode");
  result.scenario = reader.raw("scenario");
  if (!result.scenario.is_object()) {
    reader.complain("scenario",
                    fmt::format("found {}, expected an object", describe_found(result.scenario)));
  }
  result.comparison_hash = reader.text("comparison_hash");
  reader.raw(kChecksum);  // runs of an earlier pacbench lack it
  if (auto issue = checksum_issue(document)) issues.push_back(std::move(*issue));
  for (auto& cell : reader.objects("cells")) {
    result.cells.push_back(read_cell(cell));
    if (!result.cells.back().period) {
      result.cells.back().period = declared_period(result.scenario, result.cells.back().label);
    }
  }
  reader.finish();
  if (!issues.empty()) throw ConfigError{source, issues};
  return result;
}

double mean_iteration_s(const CellResult& cell) {
  if (cell.iterations == 0) return 0;
  const auto steps_s = std::max(0.0, cell.training_s - cell.pruning_s);
  return steps_s / static_cast<double>(cell.iterations);
}

double step_time_s(const CellResult& cell) {
  if (cell.period.value_or(1) == 1) return cell.time_per_iteration_s;
  return cell.period_step_s.value_or(mean_iteration_s(cell));
}

}  // namespace pacbench
