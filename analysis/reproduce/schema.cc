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
  return or_null(whole_object(
      {{"low", described(kNumberOrNull, "null: the arm never reached the target")},
       {"high", described(kNumberOrNull, "null: the baseline never reached the target")}}));
}

Json setting() {
  return whole_object(
      {{"network", kText},
       {"dataset", kText},
       {"rate_mbit", described(kNumber, "0 in mode learn")},
       {"topology", described(kText, "empty in mode learn")},
       {"mode", kText},
       {"computing",
        described(kText,
                  "which hardware computed; in mode compose also whether its times were measured "
                  "or assumed; empty in mode learn")},
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
       {"target", described(kNumberOrNull, "accuracy to which times are measured")},
       {"value", described(kNumberOrNull,
                           "the claim's quantity; null where it was not measured, or the baseline "
                           "never reached the target")},
       {"range", described(ends(), "over the seeds")},
       {"interval", described(ends(), "95 % interval")},
       {"interval_of_steps",
        described(kBoolean, "whether interval is from the scatter of steps within one run alone")},
       {"range_of_runs",
        described(ends(), "ratio of opposite ends of several runs of the same cells")},
       {"step_ratio", described(kNumberOrNull, "ratio of the times per iteration")},
       {"by_bytes",
        described(kNumberOrNull, "ratio of the steps, if declared bytes alone took time")},
       {"limit", described(kNumberOrNull, "largest possible value, where value is null")},
       {"at_other_speeds",
        described(array_of(kNumber),
                  "the value, else the step_ratio, with computing at half and at double speed")},
       {"seeds", kCount},
       {"link_verdict", kLink},
       {"host_verdict", kHost},
       {"not_counted",
        described(reasons(), "why this evidence decides nothing; empty where it may decide")},
       {"reasons", described(reasons(), "why our number differs from the paper's")}});
}

Json arm(const Json& finding) {
  return whole_object(
      {{"label", kText},
       {"kind", described(kText, "which of the paper's arms this is")},
       {"of_paper", described(kBoolean, "whether the paper may have meant this arm")},
       {"finding", finding},
       {"why", kText},
       {"counts", described(kBoolean, "whether some evidence of this arm may decide")},
       {"needed", described(kCount, "number of settings of the claim, times its baselines")},
       {"measured", described(kCount, "how many of these were measured")},
       {"over_settings", described(or_null(report::spread_schema()),
                                   "over the evidence that decides; where none decides, over the "
                                   "evidence with the fewest entries in not_counted")},
       {"decisive", described(kCount, "index of the evidence that stands for the arm")},
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
       {"first", described(kBoolean, "whether a reader should see this claim first")},
       {"quantity", one_of(all_words<Quantity>())},
       {"form", one_of(all_words<Form>())},
       {"paper", described(kNumber, "the paper's number")},
       {"settings", described(kText, "which settings the claim is about")},
       {"reading", kText},
       {"settled_by", described(kText, "what would have to be run")},
       {"finding", finding()},
       {"why", kText},
       {"arms", array_of(arm(finding()))},
       {"here", described(or_null(here), "the same question asked of our own settings")}});
}

/// The schema of a link, with a list under `key` that has an entry for each of its methods.
Json one_link(const char* key, const Json& of_method) {
  return whole_object({{"setting", setting()},
                       {"link", kText},
                       {"name", described(kText, "name of the scenario")},
                       {"workers", kCount},
                       {"batch_per_worker", kCount},
                       {key, array_of(of_method)}});
}

Json column() {
  Json time{{"label", kText},
            {"time_per_iteration_s", report::spread_schema()},
            {"steps", described(kCount, "how many steps the median is taken over")},
            {"speed_up_all_reduce", kNumberOrNull},
            {"interval", described(ends(), "95 % interval")},
            {"range_of_runs",
             described(ends(), "ratio of opposite ends of several runs of the same cells")},
            {"link_verdict", kLink},
            {"host_verdict", kHost}};
  add_facts_schema(time);
  return one_link("times", whole_object(time));
}

Json table_1() {
  const auto time = whole_object(
      {{"target", described(kNumber, "accuracy that all-reduce reached")},
       {"iterations",
        described(kNumberOrNull,
                  "median over the seeds; null: half of them or more never reached the target")},
       {"convergence_all_reduce",
        described(kNumberOrNull, "all-reduce's iterations divided by the method's")},
       {"tta_s", kNumberOrNull},
       {"speed_up_all_reduce", kNumberOrNull},
       {"interval", described(ends(), "95 % interval")}});
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
       {"commands",
        described(array_of(kText),
                  "as typed: the command that started the run, then those that resumed or "
                  "recounted it")},
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
