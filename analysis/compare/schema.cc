#include "base/json/schema_parts.h"

#include "analysis/compare/comparison.h"

namespace pacbench::compare {
namespace {

using schema::array_of;
using schema::described;
using schema::or_null;
using schema::whole_object;

const Json kText = schema::text();
const Json kNumber = schema::any_number();
const Json kNumberOrNull = schema::number_or_null();

Json side() {
  return whole_object({{"runs", described(array_of(kText), "results folders")},
                       {"commits", described(array_of(kText), "each commit once")}});
}

Json mismatch() {
  return whole_object({{"run", kText}, {"pointer", kText}, {"found", kText}, {"expected", kText}});
}

Json gate_check() {
  return whole_object(
      {{"label", kText},
       {"link", kText},
       {"seed", {{"type", "integer"}}},
       {"quantity", kText},
       {"base", kText},
       {"new", kText},
       {"words", described(kText, "why the verdict is not \"equal\"")},
       {"verdict", schema::one_of({"equal", "broken", "inconclusive", "not asked"})}});
}

Json statistics() {
  return whole_object(
      {{"u",
        described(
            kNumber,
            "stratified Mann-Whitney (van Elteren 1960): U within each seed, summed over seeds")},
       {"p", described(kNumber, "two-sided")},
       {"p_greater", kNumber},
       {"p_less", kNumber},
       {"exact", {{"type", "boolean"}}},
       {"p_holm", kNumber},
       {"ratio", described(kNumberOrNull, "Hodges-Lehmann, new to base")},
       {"ratio_low", kNumberOrNull},
       {"ratio_high", kNumberOrNull},
       {"p_slower",
        described(
            kNumber,
            "chance of new times as low as these, if new were slower by exactly the threshold")},
       {"spread", described(kNumberOrNull, "standard deviation within a side, as a share")},
       {"runs_needed",
        described({{"type", {"integer", "null"}}}, "values that each side would need")}});
}

Json time() {
  const auto values = array_of(described(kNumberOrNull, "seconds; null: never reached"));
  return whole_object(
      {{"label", kText},
       {"link", kText},
       {"metric", schema::one_of({"time_per_iteration_s", "encode_s", "tta_s"})},
       {"target", described(kNumberOrNull,
                            "accuracy or loss to be reached, where metric is tta_s; else null")},
       {"target_metric", described({{"type", {"string", "null"}}},
                                   "\"accuracy\" or \"loss\"; null where target is null")},
       {"threshold", kNumber},
       {"values", array_of(whole_object(
                      {{"seed", {{"type", "integer"}}}, {"base", values}, {"new", values}}))},
       {"verdict",
        schema::one_of({"unchanged", "improved", "regressed", "inconclusive", "not tested"})},
       {"statistics", described(or_null(statistics()), "null where nothing was tested")},
       {"notes", array_of(kText)}});
}

Json carried() {
  return whole_object(
      {{"label", kText},
       {"link", kText},
       {"quantity", kText},
       {"base", kNumberOrNull},
       {"new", kNumberOrNull},
       {"note", described(kText, "why base and new may differ without a change of the program")}});
}

}  // namespace

Json comparison_schema() {
  return schema::document(
      "pacbench comparison", Comparison::kFormat,
      {{"outcome", schema::one_of({"no regression", "regression", "inconclusive", "incomparable"})},
       {"scenario", kText},
       {"mode", kText},
       {"comparison_hash", kText},
       {"threshold", kNumber},
       {"encode_threshold", kNumber},
       {"alpha", kNumber},
       {"machine", kText},
       {"machine_differences", array_of(mismatch())},
       {"base", side()},
       {"new", side()},
       {"gate", array_of(gate_check())},
       {"times", array_of(time())},
       {"carried", described(array_of(carried()),
                             "numbers that can be compared although the machines differ")}});
}

}  // namespace pacbench::compare
