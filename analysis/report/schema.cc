#include "base/json/schema_parts.h"

#include "analysis/report/headline.h"
#include "analysis/report/report.h"
#include "analysis/report/row_fields.h"
#include "analysis/report/schema_values.h"

namespace pacbench::report {
namespace {

using schema::array_of;
using schema::described;
using schema::or_null;
using schema::whole_object;

const Json kText = schema::text();
const Json kNumber = schema::any_number();
const Json kNumberOrNull = schema::number_or_null();

void add_speed_up(Json& properties, const std::string& key) {
  const auto ends = or_null(whole_object(
      {{"low", described(kNumberOrNull, "null: the method did not reach the target")},
       {"high", described(kNumberOrNull, "null: the baseline did not reach the target")}}));
  properties[key] = described(kNumberOrNull, "ratio of median TTA");
  properties[key + "_range"] = described(ends, "least and largest of the ratios seed by seed");
  properties[key + "_interval"] = described(
      ends, "95 % confidence interval; null below three seeds, and where a seed is a DNF");
}

Json both_ends() {
  return schema::or_null(
      whole_object({{"low", schema::positive_number()}, {"high", schema::positive_number()}}));
}

/// Either schema that `make` gives: with an accuracy, or with a loss.
template <typename Make>
Json of_either_metric(const Make& make) {
  return {{"oneOf", {make(kAccuracy, schema::ratio()), make(kLoss, schema::positive_number())}}};
}

Json target(const char* metric, const Json& value) {
  Json properties{
      {metric, value},
      {"tta_s", censored_schema()},
      {"tta_within_s",
       described(
           both_ends(),
           "where the TTAs of the seeds that reached the target lie: from the evaluation "
           "before the earliest crossing to the latest; wider where the machine was disturbed")},
      {"tta_interval_s",
       described(interval_schema(),
                 "confidence interval of the median, at 95 % or more; null with too few seeds")},
      {"tta_of_steps_s",
       described(both_ends(),
                 "where there is only one seed: interval from the scatter of its steps")},
      {"tta_of_runs_s",
       described(both_ends(), "least and largest value of several runs of the same cells")},
      {"iterations", censored_schema()},
      {"beyond_s", described(censored_schema(), "TTA minus time per iteration × iterations")}};
  add_speed_up(properties, "speed_up_all_reduce");
  add_speed_up(properties, "speed_up_fp16");
  return whole_object(properties);
}

Json diagnosis(const char* metric, const Json& value) {
  const auto kinds =
      schema::one_of({"within-spread", "cpu-bound", "all-gather", "more-bytes", "latency-bound",
                      "low-utilisation", "more-iterations", "unstable-mask", "beyond-steps"});
  return whole_object({{"against", described(kText, "label of the better baseline")},
                       {metric, value},
                       {"tta_ratio", described(kNumberOrNull, "null for a DNF")},
                       {"step_ratio", kNumber},
                       {"iterations_ratio", kNumberOrNull},
                       {"causes", array_of(whole_object({{"kind", kinds}, {"words", kText}}))},
                       {"words", kText}});
}

Json row() {
  Json properties{
      {"label", kText},
      {"run", described(kText, "the runs that measured it, by the names of their folders")},
      {"method", kText},
      {"tried",
       described(schema::integer_from(1),
                 "how many settings, with their learning rates, were tried before this one")},
      {"seeds", array_of({{"type", "integer"}})},
      {"done", schema::integer_from(0)},
      {"failed", described(schema::integer_from(0), "cells that failed; they count as DNF")},
      {"unfinished", described(schema::integer_from(0),
                               "cells that were skipped or interrupted; they count nowhere")},
      {"link_verdict", schema::one_of({"ok", "suspect"})},
      {"host_verdict", schema::one_of({"ok", "cpu-bound"})},
      {"machine_verdict",
       described(Json{{"enum", {"ok", "disturbed", "unknown", nullptr}}},
                 "whether others took the machine away; null where nothing watched it")},
      {"attempts", described(schema::integer_from(1), "how often a cell was run, at most")},
      {"stopped_at_target", {{"type", "boolean"}}},
      {"targets", array_of(of_either_metric(target))},
      {"time_of_steps_s", described(both_ends(),
                                    "where there is only one seed: interval of the time per "
                                    "iteration, from the scatter of its steps")},
      {"runs", described(schema::integer_from(1),
                         "largest number of runs that measured one cell; only done "
                         "cells over links as declared count; at least 1")},
      {"time_of_runs_s",
       described(both_ends(), "least and largest time per iteration of several runs")},
      {"mask_overlap",
       described(kNumberOrNull,
                 "overlap of the masks of two seeds, median over all pairs of seeds")},
      {"notes", array_of(kText)},
      {"diagnosis",
       described(or_null(of_either_metric(diagnosis)), "null where the row does not lose")}};
  for (const auto& field : kRowFields)
    properties[field.key] = described(spread_schema(), field.help);
  return whole_object(properties);
}

Json standing() {
  const auto ends = or_null(whole_object({{"low", kNumber}, {"high", kNumber}}));
  return whole_object(
      {{"label", kText},
       {"standing", schema::one_of(all_words<Standing>())},
       {"reason", described(kText, "why it is not judged; else empty")},
       {"of_first", described(kNumberOrNull, "median TTA divided by that of the first row")},
       {"of_first_interval", described(ends, "its 95 % interval; null below three seeds")}});
}

Json link() {
  return whole_object(
      {{"link", kText},
       {"description", kText},
       {"headline", described(kText,
                              "which method is the fastest, or which ones cannot be told apart "
                              "from it; empty where nothing can be said")},
       {"standings", described(array_of(standing()),
                               "how the rows stand beside the first of them, to the target of the "
                               "headline; empty without one")},
       {"rate_mbit", described(kNumber, "rate of the link's slower direction; 0 in mode learn")},
       {"probe",
        described(kNumberOrNull,
                  "goodput of a probed flow, measured divided by expected: the ratio that is "
                  "farthest from 1")},
       {"rows", array_of(row())}});
}

Json section() {
  return whole_object(
      {{"title",
        described(kText, "what was trained, and how this section differs from the others")},
       {"name", kText},
       {"files", described(array_of(kText), "the result.json files of this section")},
       {"mode", kText},
       {"comparison_hash", kText},
       {"seeds", array_of({{"type", "integer"}})},
       {"pretrain_s", spread_schema()},
       {"links", array_of(link())},
       {"notes", array_of(kText)}});
}

}  // namespace

Json scaling_series_schema() {
  const auto point = whole_object(
      {{"workers", schema::integer_from(1)},
       {"mean_iteration_s", kNumber},
       {"speed_up",
        described(kNumber, "samples per second divided by those with the fewest workers")},
       {"efficiency",
        described(kNumber, "speed_up divided by the ratio of the numbers of workers")},
       {"busiest_link_bytes", described(kNumberOrNull, "bytes in a step")}});
  return whole_object({{"label", kText},
                       {"workload", described(kText, "the model and the data set")},
                       {"topology", kText},
                       {"link", kText},
                       {"rate_mbit", described(kNumber, "rate of the link's slower direction")},
                       {"points", array_of(point)}});
}

Json report_schema() {
  return schema::document("pacbench report", Report::kFormat,
                          {{"name", kText},
                           {"sections", array_of(section())},
                           {"scaling", described(array_of(scaling_series_schema()),
                                                 "times of mode simulate, by number of workers")}});
}

}  // namespace pacbench::report
