#include "analysis/report/headline.h"
#include "analysis/report/report.h"
#include "analysis/report/row_fields.h"
#include "analysis/report/scaling.h"
#include "analysis/report/words.h"
#include "analysis/report/written_keys.h"

namespace pacbench::report {
namespace {

using schema::any_number;
using schema::array_of;
using schema::described;
using schema::integer_from;
using schema::number_or_null;
using schema::or_null;
using schema::text;
using schema::whole_object;

Json integers_schema() { return array_of({{"type", "integer"}}); }
Json ends_schema() {
  return or_null(
      whole_object({{"low", schema::positive_number()}, {"high", schema::positive_number()}}));
}

Json ends_json(const std::optional<SpeedUpEnds>& ends) {
  if (!ends) return nullptr;
  return {{"low", json_fields::written(ends->low)}, {"high", json_fields::written(ends->high)}};
}

Json ends_json(const std::optional<Ends>& ends) {
  if (!ends) return nullptr;
  return {{"low", ends->low_s}, {"high", ends->high_s}};
}

/// Adds the number, its ends seed by seed, and its interval.
void add_speed_up(WrittenKeys<TargetSummary>& keys, const std::string& key,
                  std::optional<SpeedUp> TargetSummary::*member) {
  const auto of = [member](const auto& part) {
    return [member, part](const TargetSummary& target) {
      const auto& speed_up = target.*member;
      return speed_up ? part(*speed_up) : Json();
    };
  };
  const auto ends = or_null(whole_object(
      {{"low", described(number_or_null(), "null: the method did not reach the target")},
       {"high", described(number_or_null(), "null: the baseline did not reach the target")}}));
  keys.push_back({key, of([](const SpeedUp& speed_up) { return Json(speed_up.value); }),
                  described(number_or_null(), "ratio of median TTA")});
  keys.push_back({key + "_range",
                  of([](const SpeedUp& speed_up) { return ends_json(speed_up.range); }),
                  described(ends, "least and largest of the ratios seed by seed")});
  keys.push_back(
      {key + "_interval", of([](const SpeedUp& speed_up) { return ends_json(speed_up.interval); }),
       described(ends,
                 "95 % confidence interval; null below three seeds, and where a seed is a DNF")});
}

WrittenKeys<TargetSummary> target_keys() {
  WrittenKeys<TargetSummary> keys{
      {"tta_s", [](const TargetSummary& target) { return to_json(target.tta_s); },
       censored_schema()},
      {"tta_within_s", [](const TargetSummary& target) { return ends_json(tta_within(target)); },
       described(
           ends_schema(),
           "where the TTAs of the seeds that reached the target lie: from the evaluation "
           "before the earliest crossing to the latest; wider where the machine was disturbed")},
      {"tta_interval_s", [](const TargetSummary& target) { return to_json(target.tta_interval_s); },
       described(interval_schema(),
                 "confidence interval of the median, at 95 % or more; null with too few seeds")},
      {"tta_of_steps_s",
       [](const TargetSummary& target) { return ends_json(target.tta_of_steps_s); },
       described(ends_schema(),
                 "where there is only one seed: interval from the scatter of its steps")},
      {"tta_of_runs_s", [](const TargetSummary& target) { return ends_json(target.tta_of_runs_s); },
       described(ends_schema(), "least and largest value of several runs of the same cells")},
      {"iterations", [](const TargetSummary& target) { return to_json(target.iterations); },
       censored_schema()},
      {"beyond_s", [](const TargetSummary& target) { return to_json(target.beyond_s); },
       described(censored_schema(), "TTA minus time per iteration × iterations")}};
  add_speed_up(keys, "speed_up_all_reduce", &TargetSummary::speed_up_all_reduce);
  add_speed_up(keys, "speed_up_fp16", &TargetSummary::speed_up_fp16);
  return keys;
}

const auto kTargetKeys = target_keys();

const WrittenKeys<Cause>& cause_keys() {
  static const WrittenKeys<Cause> keys{
      {"kind", &Cause::kind,
       schema::one_of({"within-spread", "cpu-bound", "all-gather", "more-bytes", "latency-bound",
                       "low-utilisation", "more-iterations", "unstable-mask", "beyond-steps"})},
      {"words", &Cause::words, text()}};
  return keys;
}

const WrittenKeys<Diagnosis>& diagnosis_keys() {
  static const WrittenKeys<Diagnosis> keys{
      {"against", &Diagnosis::against, described(text(), "label of the better baseline")},
      {"tta_ratio", &Diagnosis::tta_ratio, described(number_or_null(), "null for a DNF")},
      {"step_ratio", &Diagnosis::step_ratio, any_number()},
      {"iterations_ratio", &Diagnosis::iterations_ratio, number_or_null()},
      {"causes",
       [](const Diagnosis& diagnosis) { return written_list(cause_keys(), diagnosis.causes); },
       array_of(schema_of(cause_keys()))},
      {"words", diagnosis_words, text()}};
  return keys;
}

/// An object that also has the value of a target, under the name of its metric.
template <typename T>
Json with_target(const WrittenKeys<T>& keys, const T& object, const Target& target) {
  auto node = written(keys, object);
  node[target.metric] = target.value;
  return node;
}

template <typename T>
Json schema_with_target(const WrittenKeys<T>& keys) {
  const auto with = [&](const char* metric, const Json& value) {
    auto properties = properties_of(keys);
    properties[metric] = value;
    return whole_object(properties);
  };
  return {{"oneOf", {with(kAccuracy, schema::ratio()), with(kLoss, schema::positive_number())}}};
}

Json targets_json(const ReportRow& row) {
  Json targets = Json::array();
  for (const auto& target : row.targets) {
    targets.push_back(with_target(kTargetKeys, target, target.target));
  }
  return targets;
}

Json diagnosis_json(const ReportRow& row) {
  if (!row.diagnosis) return nullptr;
  return with_target(diagnosis_keys(), *row.diagnosis, row.diagnosis->target);
}

WrittenKeys<ReportRow> row_keys() {
  WrittenKeys<ReportRow> keys{
      {"label", &ReportRow::label, text()},
      {"run", &ReportRow::run,
       described(text(), "the runs that measured it, by the names of their folders")},
      {"method", &ReportRow::method, text()},
      {"tried", &ReportRow::tried,
       described(integer_from(1),
                 "how many settings, with their learning rates, were tried before this one")},
      {"seeds", &ReportRow::seeds, integers_schema()},
      {"done", &ReportRow::done, integer_from(0)},
      {"failed", &ReportRow::failed,
       described(integer_from(0), "cells that failed; they count as DNF")},
      {"unfinished", &ReportRow::unfinished,
       described(integer_from(0), "cells that were skipped or interrupted; they count nowhere")},
      {"link_verdict", [](const ReportRow& row) { return link_verdict_word(row.suspect); },
       schema::one_of({"ok", "suspect"})},
      {"host_verdict", [](const ReportRow& row) { return host_verdict_word(row.cpu_bound); },
       schema::one_of({"ok", "cpu-bound"})},
      {"machine_verdict",
       [](const ReportRow& row) { return row.machine.empty() ? Json() : Json(row.machine); },
       described(Json{{"enum", {"ok", "disturbed", "unknown", nullptr}}},
                 "whether others took the machine away; null where nothing watched it")},
      {"attempts", &ReportRow::attempts,
       described(integer_from(1), "how often a cell was run, at most")},
      {"stopped_at_target", &ReportRow::stopped_at_target, {{"type", "boolean"}}},
      {"targets", targets_json, array_of(schema_with_target(kTargetKeys))},
      {"time_of_steps_s", [](const ReportRow& row) { return ends_json(row.time_of_steps_s); },
       described(ends_schema(),
                 "where there is only one seed: interval of the time per iteration, from the "
                 "scatter of its steps")},
      {"runs", &ReportRow::runs,
       described(integer_from(1),
                 "largest number of runs that measured one cell; only done cells over links as "
                 "declared count; at least 1")},
      {"time_of_runs_s", [](const ReportRow& row) { return ends_json(row.time_of_runs_s); },
       described(ends_schema(), "least and largest time per iteration of several runs")},
      {"mask_overlap", &ReportRow::mask_overlap,
       described(number_or_null(),
                 "overlap of the masks of two seeds, median over all pairs of seeds")},
      {"notes", &ReportRow::notes, array_of(text())},
      {"diagnosis", diagnosis_json,
       described(or_null(schema_with_target(diagnosis_keys())),
                 "null where the row does not lose")}};
  for (const auto& field : kRowFields) {
    keys.push_back({field.key,
                    [member = field.member](const ReportRow& row) { return to_json(row.*member); },
                    described(spread_schema(), field.help)});
  }
  return keys;
}

const auto kRowKeys = row_keys();

const WrittenKeys<Beside>& standing_keys() {
  static const WrittenKeys<Beside> keys{
      {"label", &Beside::label, text()},
      {"standing", &Beside::standing, schema::one_of(all_words<Standing>())},
      {"reason", &Beside::reason, described(text(), "why it is not judged; else empty")},
      {"of_first",
       [](const Beside& row) { return row.of_first ? Json(row.of_first->value) : Json(); },
       described(number_or_null(), "median TTA divided by that of the first row")},
      {"of_first_interval",
       [](const Beside& row) { return row.of_first ? ends_json(row.of_first->interval) : Json(); },
       described(or_null(whole_object({{"low", any_number()}, {"high", any_number()}})),
                 "its 95 % interval; null below three seeds")}};
  return keys;
}

/// A link, and the section that it is in.
struct PlacedLink {
  const ReportSection& section;
  const LinkReport& link;
};

/// How each row stands beside the first one; empty without a headline.
Json standings_json(const PlacedLink& at) {
  const auto headline = headline_of(at.section, at.link);
  if (!headline) return Json::array();
  auto rows = headline->rows_beside;
  rows.insert(rows.begin(), {headline->first, Standing::kFirst, "", std::nullopt});
  return written_list(standing_keys(), rows);
}

const WrittenKeys<PlacedLink>& link_keys() {
  static const WrittenKeys<PlacedLink> keys{
      {"link", [](const PlacedLink& at) { return at.link.link; }, text()},
      {"description", [](const PlacedLink& at) { return at.link.words; }, text()},
      {"headline", [](const PlacedLink& at) { return headline_line(at.section, at.link); },
       described(text(),
                 "which method is the fastest, or which ones cannot be told apart from it; empty "
                 "where nothing can be said")},
      {"standings", standings_json,
       described(
           array_of(schema_of(standing_keys())),
           "how the rows stand beside the first of them, to the target of the headline; empty "
           "without one")},
      {"rate_mbit", [](const PlacedLink& at) { return at.link.rate_mbit; },
       described(any_number(), "rate of the link's slower direction; 0 in mode learn")},
      {"probe", [](const PlacedLink& at) { return json_fields::written(at.link.probe); },
       described(number_or_null(),
                 "goodput of a probed flow, measured divided by expected: the ratio that is "
                 "farthest from 1")},
      {"rows", [](const PlacedLink& at) { return written_list(kRowKeys, at.link.rows); },
       array_of(schema_of(kRowKeys))}};
  return keys;
}

Json links_json_of(const ReportSection& section) {
  Json links = Json::array();
  for (const auto& link : section.links) {
    links.push_back(written(link_keys(), PlacedLink{section, link}));
  }
  return links;
}

const WrittenKeys<ReportSection>& section_keys() {
  static const WrittenKeys<ReportSection> keys{
      {"title", &ReportSection::title,
       described(text(), "what was trained, and how this section differs from the others")},
      {"name", &ReportSection::name, text()},
      {"files", &ReportSection::files,
       described(array_of(text()), "the result.json files of this section")},
      {"mode", &ReportSection::mode, text()},
      {"comparison_hash", &ReportSection::comparison_hash, text()},
      {"seeds", &ReportSection::seeds, integers_schema()},
      {"pretrain_s", [](const ReportSection& section) { return to_json(section.pretrain_s); },
       spread_schema()},
      {"links", links_json_of, array_of(schema_of(link_keys()))},
      {"notes", &ReportSection::notes, array_of(text())}};
  return keys;
}

const WrittenKeys<ScalingPoint>& point_keys() {
  static const WrittenKeys<ScalingPoint> keys{
      {"workers", &ScalingPoint::workers, integer_from(1)},
      {"mean_iteration_s", &ScalingPoint::mean_iteration_s, any_number()},
      {"speed_up", &ScalingPoint::speed_up,
       described(any_number(), "samples per second divided by those with the fewest workers")},
      {"efficiency", &ScalingPoint::efficiency,
       described(any_number(), "speed_up divided by the ratio of the numbers of workers")},
      {"busiest_link_bytes", &ScalingPoint::busiest_link_bytes,
       described(number_or_null(), "bytes in a step")}};
  return keys;
}

const WrittenKeys<ScalingSeries>& series_keys() {
  static const WrittenKeys<ScalingSeries> keys{
      {"label", &ScalingSeries::label, text()},
      {"workload", &ScalingSeries::workload, described(text(), "the model and the data set")},
      {"topology", &ScalingSeries::topology, text()},
      {"link", &ScalingSeries::link, text()},
      {"rate_mbit", &ScalingSeries::rate_mbit,
       described(any_number(), "rate of the link's slower direction")},
      {"points",
       [](const ScalingSeries& series) { return written_list(point_keys(), series.points); },
       array_of(schema_of(point_keys()))}};
  return keys;
}

const WrittenKeys<Report>& report_keys() {
  static const WrittenKeys<Report> keys{
      {"name", &Report::name, text()},
      {"sections",
       [](const Report& report) { return written_list(section_keys(), report.sections); },
       array_of(schema_of(section_keys()))},
      {"scaling", [](const Report& report) { return to_json(scaling(report.sections)); },
       described(array_of(schema_of(series_keys())),
                 "times of mode simulate, by number of workers")}};
  return keys;
}

}  // namespace

Json to_json(const std::vector<ScalingSeries>& all) { return written_list(series_keys(), all); }

Json to_json(const Report& report) {
  auto document = written(report_keys(), report);
  document["format"] = Report::kFormat;
  return document;
}

Json spread_schema() {
  return or_null(whole_object(
      {{"median", any_number()}, {"minimum", any_number()}, {"maximum", any_number()}}));
}

Json censored_schema() {
  return whole_object(
      {{"median",
        described(number_or_null(), "null: half or more never reached the target, or total is 0")},
       {"minimum", number_or_null()},
       {"maximum",
        described(number_or_null(), "null: some never reached the target, or total is 0")},
       {"reached", integer_from(0)},
       {"total", integer_from(0)}});
}

Json interval_schema() {
  return or_null(whole_object({{"low", described(number_or_null(), "null: not reached")},
                               {"high", described(number_or_null(), "null: not reached")},
                               {"coverage", schema::ratio()}}));
}

Json scaling_series_schema() { return schema_of(series_keys()); }

Json report_schema() {
  return schema::document("pacbench report", Report::kFormat, properties_of(report_keys()));
}

}  // namespace pacbench::report
