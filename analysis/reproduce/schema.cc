#include "base/schema_parts.h"

#include "analysis/report/schema_values.h"
#include "analysis/reproduce/reproduction.h"
#include "analysis/reproduce/words.h"

namespace pacbench::reproduce {
namespace {

using schema::array_of;
using schema::described;
using schema::one_of;
using schema::or_null;
using schema::whole_object;

const Json kText = schema::text();
const Json kNumber = schema::any_number();
const Json kNumberOrNull = schema::number_or_null();
const Json kCount = schema::integer_from(0);
const Json kLink = one_of({"ok", "suspect"});
const Json kHost = one_of({"ok", "cpu-bound"});
const Json kBoolean{{"type", "boolean"}};

Json finding() {
  return one_of({"reproduced", "better than claimed", "contradicted", "not testable here"});
}

Json finding_here() { return one_of({"holds here", "fails here", "inconclusive here"}); }

Json ends() {
  return or_null(
      whole_object({{"low", described(kNumberOrNull, "null: the arm never got there")},
                    {"high", described(kNumberOrNull, "null: the baseline never did")}}));
}

Json setting() {
  return whole_object({{"network", kText},
                       {"dataset", kText},
                       {"rate_mbit", described(kNumber, "0 in mode learn")},
                       {"topology", described(kText, "empty in mode learn")},
                       {"mode", kText},
                       {"computing", described(kText, "where, and whether measured or assumed")},
                       {"start", described(one_of({"random", "pretrain", "file", ""}),
                                           "kind of initial weights; empty without a curve")}});
}

Json reasons() { return array_of(whole_object({{"kind", kText}, {"words", kText}})); }

Json evidence() {
  return whole_object(
      {{"label", kText},
       {"against", described(kText, "label of the baseline; empty where there is none")},
       {"setting", setting()},
       {"pruning_ratio", kNumberOrNull},
       {"target", described(kNumberOrNull, "accuracy that times are to")},
       {"value", described(kNumberOrNull,
                           "the claim's quantity; null where it was not measured, "
                           "or the baseline never got to the target")},
       {"range", described(ends(), "over the seeds")},
       {"interval", described(ends(), "at 95 %")},
       {"interval_of_steps", described(kBoolean, "it knows the scatter of steps alone")},
       {"range_of_runs", described(ends(), "of several runs of the same cells")},
       {"step_ratio", described(kNumberOrNull, "of times per iteration")},
       {"by_bytes", described(kNumberOrNull, "of a step, by declared bytes alone")},
       {"limit", described(kNumberOrNull, "the most that the value could be, where it is null")},
       {"at_other_speeds", described(array_of(kNumber), "with computing at half and double speed")},
       {"seeds", kCount},
       {"link_verdict", kLink},
       {"host_verdict", kHost},
       {"not_counted", described(reasons(), "why it decides nothing; empty when it may")},
       {"reasons", described(reasons(), "why ours is another number")}});
}

Json arm(const Json& finding) {
  return whole_object({{"label", kText},
                       {"kind", described(kText, "what it is among the arms of the paper")},
                       {"of_paper", described(kBoolean, "whether the paper may have meant it")},
                       {"finding", finding},
                       {"why", kText},
                       {"counts", described(kBoolean, "whether anything of it may decide")},
                       {"needed", described(kCount, "settings that the claim speaks of")},
                       {"measured", described(kCount, "of them")},
                       {"over_settings", described(or_null(report::spread_schema()),
                                                   "of what decides; where nothing does, "
                                                   "of what lacks least")},
                       {"decisive", described(kCount, "index of the evidence that stands for it")},
                       {"evidence", array_of(evidence())}});
}

Json claim() {
  const auto here = whole_object({{"settings", kText},
                                  {"finding", finding_here()},
                                  {"why", kText},
                                  {"arms", array_of(arm(finding_here()))}});
  return whole_object(
      {{"id", kText},
       {"words", kText},
       {"where", described(kText, "in the paper")},
       {"first", described(kBoolean, "among those that a reader should see first")},
       {"quantity", one_of(all_words<Quantity>())},
       {"form", one_of(all_words<Form>())},
       {"paper", described(kNumber, "its number")},
       {"settings", described(kText, "of which it speaks")},
       {"reading", kText},
       {"settled_by", described(kText, "what would have to be run")},
       {"finding", finding()},
       {"why", kText},
       {"arms", array_of(arm(finding()))},
       {"here", described(or_null(here), "the same asked of settings of our own")}});
}

/// The schema of a link, with a list under `key` that has an entry for each of its methods.
Json one_link(const char* key, const Json& of_method) {
  return whole_object({{"setting", setting()},
                       {"link", kText},
                       {"name", described(kText, "of the scenario")},
                       {"workers", kCount},
                       {"batch_per_worker", kCount},
                       {key, array_of(of_method)}});
}

Json column() {
  Json time{{"label", kText},
            {"time_per_iteration_s", report::spread_schema()},
            {"steps", described(kCount, "that it is the median of")},
            {"speed_up_all_reduce", kNumberOrNull},
            {"interval", described(ends(), "at 95 %")},
            {"range_of_runs", described(ends(), "of several runs of the same cells")},
            {"link_verdict", kLink},
            {"host_verdict", kHost}};
  add_facts_schema(time);
  return one_link("times", whole_object(time));
}

Json table_1() {
  const auto time = whole_object(
      {{"target", described(kNumber, "accuracy that all-reduce got to")},
       {"iterations", described(kNumberOrNull, "null: it never got there")},
       {"convergence_all_reduce", described(kNumberOrNull, "all-reduce's iterations over its")},
       {"tta_s", kNumberOrNull},
       {"speed_up_all_reduce", kNumberOrNull},
       {"interval", described(ends(), "at 95 %")}});
  Json method{{"label", kText},
              {"targets", array_of(time)},
              {"link_verdict", kLink},
              {"host_verdict", kHost}};
  add_facts_schema(method);
  return one_link("methods", whole_object(method));
}

Json run() {
  return whole_object(
      {{"path", kText},
       {"name", kText},
       {"mode", kText},
       {"commands", described(array_of(kText), "as typed: the first, and what went on with it")},
       {"scenario_hash", kText},
       {"comparison_hash", kText},
       {"git_commits", array_of(kText)},
       {"host", kText},
       {"cells", kCount},
       {"planned_cells", kCount}});
}

}  // namespace

Json reproduction_schema() {
  const auto untestable = whole_object({{"words", kText}, {"where", kText}, {"why", kText}});
  return schema::document("pacbench reproduction", Reproduction::kFormat,
                          {{"paper", kText},
                           {"source", described(kText, "where to find the paper")},
                           {"reproduced", kCount},
                           {"better_than_claimed", kCount},
                           {"contradicted", kCount},
                           {"not_testable_here", kCount},
                           {"claims", array_of(claim())},
                           {"untestable", array_of(untestable)},
                           {"tables_1", array_of(table_1())},
                           {"steps", array_of(column())},
                           {"runs", array_of(run())},
                           {"notes", array_of(kText)}});
}

}  // namespace pacbench::reproduce
