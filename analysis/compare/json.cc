#include <cmath>

#include "analysis/compare/comparison.h"
#include "analysis/report/written_keys.h"

namespace pacbench::compare {
namespace {

using report::WrittenKeys;
using schema::any_number;
using schema::array_of;
using schema::described;
using schema::number_or_null;
using schema::or_null;
using schema::text;

Json integer_schema() { return {{"type", "integer"}}; }

/// Null for an infinite value: a target that was not reached, or an infinite ratio.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json finite(const std::vector<double>& values) {
  Json list = Json::array();
  for (const auto value : values) list.push_back(finite(value));
  return list;
}

const WrittenKeys<SideSummary>& side_keys() {
  static const WrittenKeys<SideSummary> keys{
      {"runs", &SideSummary::folders, described(array_of(text()), "results folders")},
      {"commits", &SideSummary::commits, described(array_of(text()), "each commit once")}};
  return keys;
}

const WrittenKeys<Mismatch>& mismatch_keys() {
  static const WrittenKeys<Mismatch> keys{
      {"run", &Mismatch::folder, text()},
      {"pointer", [](const Mismatch& one) { return one.difference.pointer; }, text()},
      {"found", [](const Mismatch& one) { return one.difference.found; }, text()},
      {"expected", [](const Mismatch& one) { return one.difference.expected; }, text()}};
  return keys;
}

const WrittenKeys<GateCheck>& gate_keys() {
  static const WrittenKeys<GateCheck> keys{
      {"label", &GateCheck::label, text()},
      {"link", &GateCheck::link, text()},
      {"seed", &GateCheck::seed, integer_schema()},
      {"quantity", &GateCheck::quantity, text()},
      {"base", &GateCheck::base, text()},
      {"new", &GateCheck::next, text()},
      {"words", &GateCheck::words, described(text(), "why the verdict is not \"equal\"")},
      {"verdict", &GateCheck::found, schema::one_of(all_words<GateCheck::Found>())}};
  return keys;
}

const WrittenKeys<TimedRow>& statistics_keys() {
  static const WrittenKeys<TimedRow> keys{
      {"u", [](const TimedRow& row) { return row.test.u; },
       described(any_number(),
                 "stratified Mann-Whitney (van Elteren 1960): U within each seed, summed over "
                 "seeds")},
      {"p", [](const TimedRow& row) { return row.test.p_two_sided; },
       described(any_number(), "two-sided")},
      {"p_greater", [](const TimedRow& row) { return row.test.p_greater; }, any_number()},
      {"p_less", [](const TimedRow& row) { return row.test.p_less; }, any_number()},
      {"exact", [](const TimedRow& row) { return row.test.exact; }, {{"type", "boolean"}}},
      {"p_holm", &TimedRow::p_holm, any_number()},
      {"ratio", [](const TimedRow& row) { return finite(row.ratio.value); },
       described(number_or_null(), "Hodges-Lehmann, new to base")},
      {"ratio_low", [](const TimedRow& row) { return finite(row.ratio.low); }, number_or_null()},
      {"ratio_high", [](const TimedRow& row) { return finite(row.ratio.high); }, number_or_null()},
      {"p_slower", &TimedRow::p_slower,
       described(any_number(),
                 "chance of new times as low as these, if new were slower by exactly the "
                 "threshold")},
      {"spread", &TimedRow::spread,
       described(number_or_null(), "standard deviation within a side, as a share")},
      {"runs_needed", &TimedRow::runs_needed,
       described({{"type", {"integer", "null"}}}, "values that each side would need")}};
  return keys;
}

Json statistics_of(const TimedRow& row) {
  return can_be_tested(row) ? written(statistics_keys(), row) : Json();
}

Json values_schema() {
  return array_of(described(number_or_null(), "seconds; null: never reached"));
}

const WrittenKeys<statistics::Stratum>& stratum_keys() {
  static const WrittenKeys<statistics::Stratum> keys{
      {"seed", &statistics::Stratum::seed, integer_schema()},
      {"base", [](const statistics::Stratum& one) { return finite(one.base); }, values_schema()},
      {"new", [](const statistics::Stratum& one) { return finite(one.next); }, values_schema()}};
  return keys;
}

const WrittenKeys<TimedRow>& time_keys() {
  static const WrittenKeys<TimedRow> keys{
      {"label", &TimedRow::label, text()},
      {"link", &TimedRow::link, text()},
      {"metric", &TimedRow::metric, schema::one_of({"time_per_iteration_s", "encode_s", "tta_s"})},
      {"target", [](const TimedRow& row) { return row.target ? Json(row.target->value) : Json(); },
       described(number_or_null(),
                 "accuracy or loss to be reached, where metric is tta_s; else null")},
      {"target_metric",
       [](const TimedRow& row) { return row.target ? Json(row.target->metric) : Json(); },
       described({{"type", {"string", "null"}}},
                 "\"accuracy\" or \"loss\"; null where target is null")},
      {"threshold", &TimedRow::threshold, any_number()},
      {"values", [](const TimedRow& row) { return written_list(stratum_keys(), row.seconds); },
       array_of(schema_of(stratum_keys()))},
      {"verdict", &TimedRow::verdict, schema::one_of(all_words<TimedRow::Verdict>())},
      {"statistics", statistics_of,
       described(or_null(schema_of(statistics_keys())), "null where nothing was tested")},
      {"notes", &TimedRow::notes, array_of(text())}};
  return keys;
}

const WrittenKeys<CarriedRow>& carried_keys() {
  static const WrittenKeys<CarriedRow> keys{
      {"label", &CarriedRow::label, text()},
      {"link", &CarriedRow::link, text()},
      {"quantity", &CarriedRow::quantity, text()},
      {"base", &CarriedRow::base, number_or_null()},
      {"new", &CarriedRow::next, number_or_null()},
      {"note", &CarriedRow::note,
       described(text(), "why base and new may differ without a change of the program")}};
  return keys;
}

const WrittenKeys<Comparison>& comparison_keys() {
  static const WrittenKeys<Comparison> keys{
      {"outcome", &Comparison::outcome,
       schema::one_of({"no regression", "regression", "inconclusive", "incomparable"})},
      {"scenario", &Comparison::scenario, text()},
      {"mode", &Comparison::mode, text()},
      {"comparison_hash", &Comparison::comparison_hash, text()},
      {"threshold", [](const Comparison& all) { return all.options.threshold; }, any_number()},
      {"encode_threshold", [](const Comparison& all) { return all.options.encode_threshold; },
       any_number()},
      {"alpha", [](const Comparison& all) { return all.options.alpha; }, any_number()},
      {"machine", &Comparison::machine, text()},
      {"machine_differences",
       [](const Comparison& all) { return written_list(mismatch_keys(), all.machines); },
       array_of(schema_of(mismatch_keys()))},
      {"base", [](const Comparison& all) { return written(side_keys(), all.base); },
       schema_of(side_keys())},
      {"new", [](const Comparison& all) { return written(side_keys(), all.next); },
       schema_of(side_keys())},
      {"gate", [](const Comparison& all) { return written_list(gate_keys(), all.gate); },
       array_of(schema_of(gate_keys()))},
      {"times", [](const Comparison& all) { return written_list(time_keys(), all.rows); },
       array_of(schema_of(time_keys()))},
      {"carried", [](const Comparison& all) { return written_list(carried_keys(), all.carried); },
       described(array_of(schema_of(carried_keys())),
                 "numbers that can be compared although the machines differ")}};
  return keys;
}

}  // namespace

Json to_json(const Comparison& comparison) {
  auto document = written(comparison_keys(), comparison);
  document["format"] = Comparison::kFormat;
  return document;
}

Json comparison_schema() {
  return schema::document("pacbench comparison", Comparison::kFormat,
                          properties_of(comparison_keys()));
}

}  // namespace pacbench::compare
