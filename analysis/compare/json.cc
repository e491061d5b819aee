#include <cmath>

#include "analysis/compare/comparison.h"

namespace pacbench::compare {
namespace {

template <typename Value>
Json optional_to_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// Null for an infinite value: a target that was not reached, or an infinite ratio.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json finite(const std::vector<double>& values) {
  Json list = Json::array();
  for (const auto value : values) list.push_back(finite(value));
  return list;
}

Json to_json(const SideSummary& side) {
  return {{"runs", side.folders}, {"commits", side.commits}};
}

Json to_json(const Mismatch& mismatch) {
  return {{"run", mismatch.folder},
          {"pointer", mismatch.difference.pointer},
          {"found", mismatch.difference.found},
          {"expected", mismatch.difference.expected}};
}

Json to_json(const GateCheck& check) {
  return {{"label", check.label}, {"link", check.link},
          {"seed", check.seed},   {"quantity", check.quantity},
          {"base", check.base},   {"new", check.next},
          {"words", check.words}, {"verdict", word_of(check.found)}};
}

Json statistics_to_json(const TimedRow& row) {
  return {{"u", row.test.u},
          {"p", row.test.p_two_sided},
          {"p_greater", row.test.p_greater},
          {"p_less", row.test.p_less},
          {"exact", row.test.exact},
          {"p_holm", row.p_holm},
          {"ratio", finite(row.ratio.value)},
          {"ratio_low", finite(row.ratio.low)},
          {"ratio_high", finite(row.ratio.high)},
          {"p_slower", row.p_slower},
          {"spread", optional_to_json(row.spread)},
          {"runs_needed", optional_to_json(row.runs_needed)}};
}

Json to_json(const TimedRow& row) {
  const bool is_tested = row.verdict != TimedRow::Verdict::kUntested && !row.seconds.empty();
  Json values = Json::array();
  for (const auto& stratum : row.seconds) {
    values.push_back(
        {{"seed", stratum.seed}, {"base", finite(stratum.base)}, {"new", finite(stratum.next)}});
  }
  return {{"label", row.label},
          {"link", row.link},
          {"metric", row.metric},
          {"target", row.target ? Json(row.target->value) : Json()},
          {"target_metric", row.target ? Json(row.target->metric) : Json()},
          {"threshold", row.threshold},
          {"values", values},
          {"verdict", word_of(row.verdict)},
          {"statistics", is_tested ? statistics_to_json(row) : Json()},
          {"notes", row.notes}};
}

Json to_json(const CarriedRow& row) {
  return {{"label", row.label},
          {"link", row.link},
          {"quantity", row.quantity},
          {"base", optional_to_json(row.base)},
          {"new", optional_to_json(row.next)},
          {"note", row.note}};
}

template <typename Item>
Json list_to_json(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

Json to_json(const Comparison& comparison) {
  return {{"format", Comparison::kFormat},
          {"outcome", word_of(comparison.outcome)},
          {"scenario", comparison.scenario},
          {"mode", comparison.mode},
          {"comparison_hash", comparison.comparison_hash},
          {"threshold", comparison.options.threshold},
          {"encode_threshold", comparison.options.encode_threshold},
          {"alpha", comparison.options.alpha},
          {"machine", comparison.machine},
          {"machine_differences", list_to_json(comparison.machines)},
          {"base", to_json(comparison.base)},
          {"new", to_json(comparison.next)},
          {"gate", list_to_json(comparison.gate)},
          {"times", list_to_json(comparison.rows)},
          {"carried", list_to_json(comparison.carried)}};
}

}  // namespace pacbench::compare
