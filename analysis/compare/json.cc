#include <cmath>

#include "analysis/compare/comparison.h"
#include "analysis/report/written_keys.h"

namespace pacbench::compare {
namespace {

using report::WrittenKeys;
using schema::array_of;
using schema::described;
using schema::or_null;

const Json kText = schema::text();
const Json kNumber = schema::any_number();
const Json kNumberOrNull = schema::number_or_null();
const Json kInteger{{"type", "integer"}};

/// Null for an infinite value: a target that was not reached, or an infinite ratio.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json finite(const std::vector<double>& values) {
  Json list = Json::array();
  for (const auto value : values) list.push_back(finite(value));
  return list;
}

const WrittenKeys<SideSummary> kSideKeys{
    {"runs", &SideSummary::folders, described(array_of(kText), "results folders")},
    {"commits", &SideSummary::commits, described(array_of(kText), "each commit once")}};

const WrittenKeys<Mismatch> kMismatchKeys{
    {"run", &Mismatch::folder, kText},
    {"pointer", [](const Mismatch& one) { return one.difference.pointer; }, kText},
    {"found", [](const Mismatch& one) { return one.difference.found; }, kText},
    {"expected", [](const Mismatch& one) { return one.difference.expected; }, kText}};

const WrittenKeys<GateCheck> kGateKeys{
    {"label", &GateCheck::label, kText},
    {"link", &GateCheck::link, kText},
    {"seed", &GateCheck::seed, kInteger},
    {"quantity", &GateCheck::quantity, kText},
    {"base", &GateCheck::base, kText},
    {"new", &GateCheck::next, kText},
    {"words", &GateCheck::words, described(kText, "why the verdict is not \"equal\"")},
    {"verdict", &GateCheck::found, schema::one_of(all_words<GateCheck::Found>())}};

const WrittenKeys<TimedRow> kStatisticsKeys{
    {"u", [](const TimedRow& row) { return row.test.u; },
     described(kNumber,
               "stratified Mann-Whitney (van Elteren 1960): U within each seed, summed over "
               "seeds")},
    {"p", [](const TimedRow& row) { return row.test.p_two_sided; },
     described(kNumber, "two-sided")},
    {"p_greater", [](const TimedRow& row) { return row.test.p_greater; }, kNumber},
    {"p_less", [](const TimedRow& row) { return row.test.p_less; }, kNumber},
    {"exact", [](const TimedRow& row) { return row.test.exact; }, {{"type", "boolean"}}},
    {"p_holm", &TimedRow::p_holm, kNumber},
    {"ratio", [](const TimedRow& row) { return finite(row.ratio.value); },
     described(kNumberOrNull, "Hodges-Lehmann, new to base")},
    {"ratio_low", [](const TimedRow& row) { return finite(row.ratio.low); }, kNumberOrNull},
    {"ratio_high", [](const TimedRow& row) { return finite(row.ratio.high); }, kNumberOrNull},
    {"p_slower", &TimedRow::p_slower,
     described(kNumber,
               "chance of new times as low as these, if new were slower by exactly the "
               "threshold")},
    {"spread", &TimedRow::spread,
     described(kNumberOrNull, "standard deviation within a side, as a share")},
    {"runs_needed", &TimedRow::runs_needed,
     described({{"type", {"integer", "null"}}}, "values that each side would need")}};

Json statistics_of(const TimedRow& row) {
  return can_be_tested(row) ? written(kStatisticsKeys, row) : Json();
}

const Json kValues = array_of(described(kNumberOrNull, "seconds; null: never reached"));
const WrittenKeys<statistics::Stratum> kStratumKeys{
    {"seed", &statistics::Stratum::seed, kInteger},
    {"base", [](const statistics::Stratum& one) { return finite(one.base); }, kValues},
    {"new", [](const statistics::Stratum& one) { return finite(one.next); }, kValues}};

const WrittenKeys<TimedRow> kTimeKeys{
    {"label", &TimedRow::label, kText},
    {"link", &TimedRow::link, kText},
    {"metric", &TimedRow::metric, schema::one_of({"time_per_iteration_s", "encode_s", "tta_s"})},
    {"target", [](const TimedRow& row) { return row.target ? Json(row.target->value) : Json(); },
     described(kNumberOrNull, "accuracy or loss to be reached, where metric is tta_s; else null")},
    {"target_metric",
     [](const TimedRow& row) { return row.target ? Json(row.target->metric) : Json(); },
     described({{"type", {"string", "null"}}},
               "\"accuracy\" or \"loss\"; null where target is null")},
    {"threshold", &TimedRow::threshold, kNumber},
    {"values", [](const TimedRow& row) { return written_list(kStratumKeys, row.seconds); },
     array_of(schema_of(kStratumKeys))},
    {"verdict", &TimedRow::verdict, schema::one_of(all_words<TimedRow::Verdict>())},
    {"statistics", statistics_of,
     described(or_null(schema_of(kStatisticsKeys)), "null where nothing was tested")},
    {"notes", &TimedRow::notes, array_of(kText)}};

const WrittenKeys<CarriedRow> kCarriedKeys{
    {"label", &CarriedRow::label, kText},
    {"link", &CarriedRow::link, kText},
    {"quantity", &CarriedRow::quantity, kText},
    {"base", &CarriedRow::base, kNumberOrNull},
    {"new", &CarriedRow::next, kNumberOrNull},
    {"note", &CarriedRow::note,
     described(kText, "why base and new may differ without a change of the program")}};

const WrittenKeys<Comparison> kKeys{
    {"outcome", &Comparison::outcome,
     schema::one_of({"no regression", "regression", "inconclusive", "incomparable"})},
    {"scenario", &Comparison::scenario, kText},
    {"mode", &Comparison::mode, kText},
    {"comparison_hash", &Comparison::comparison_hash, kText},
    {"threshold", [](const Comparison& all) { return all.options.threshold; }, kNumber},
    {"encode_threshold", [](const Comparison& all) { return all.options.encode_threshold; },
     kNumber},
    {"alpha", [](const Comparison& all) { return all.options.alpha; }, kNumber},
    {"machine", &Comparison::machine, kText},
    {"machine_differences",
     [](const Comparison& all) { return written_list(kMismatchKeys, all.machines); },
     array_of(schema_of(kMismatchKeys))},
    {"base", [](const Comparison& all) { return written(kSideKeys, all.base); },
     schema_of(kSideKeys)},
    {"new", [](const Comparison& all) { return written(kSideKeys, all.next); },
     schema_of(kSideKeys)},
    {"gate", [](const Comparison& all) { return written_list(kGateKeys, all.gate); },
     array_of(schema_of(kGateKeys))},
    {"times", [](const Comparison& all) { return written_list(kTimeKeys, all.rows); },
     array_of(schema_of(kTimeKeys))},
    {"carried", [](const Comparison& all) { return written_list(kCarriedKeys, all.carried); },
     described(array_of(schema_of(kCarriedKeys)),
               "numbers that can be compared although the machines differ")}};

}  // namespace

Json to_json(const Comparison& comparison) {
  auto document = written(kKeys, comparison);
  document["format"] = Comparison::kFormat;
  return document;
}

Json comparison_schema() {
  return schema::document("pacbench comparison", Comparison::kFormat, properties_of(kKeys));
}

}  // namespace pacbench::compare
