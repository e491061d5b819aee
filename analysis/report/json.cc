#include "analysis/report/diagnosis.h"
#include "analysis/report/headline.h"
#include "analysis/report/report.h"
#include "analysis/report/row_fields.h"
#include "analysis/report/scaling.h"
#include "analysis/report/verdicts.h"
#include "harness/statistics/spread_json.h"

namespace pacbench::report {
namespace {

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const std::optional<SpeedUpEnds>& ends) {
  if (!ends) return nullptr;
  return {{"low", to_json(ends->low)}, {"high", to_json(ends->high)}};
}

Json to_json(const std::optional<Ends>& ends) {
  if (!ends) return nullptr;
  return {{"low", ends->low_s}, {"high", ends->high_s}};
}

/// Adds the number under `key`, and its ends under `key` + "_range" and `key` + "_interval".
void add_speed_up(Json& node, const std::string& key, const std::optional<SpeedUp>& speed_up) {
  node[key] = speed_up ? Json(speed_up->value) : Json();
  node[key + "_range"] = speed_up ? to_json(std::optional{speed_up->range}) : Json();
  node[key + "_interval"] = speed_up ? to_json(speed_up->interval) : Json();
}

Json to_json(const TargetSummary& target) {
  Json node{{target.target.metric, target.target.value},
            {"tta_s", to_json(target.tta_s)},
            {"tta_within_s", to_json(tta_within(target))},
            {"tta_interval_s", to_json(target.tta_interval_s)},
            {"tta_of_steps_s", to_json(target.tta_of_steps_s)},
            {"tta_of_runs_s", to_json(target.tta_of_runs_s)},
            {"iterations", to_json(target.iterations)},
            {"beyond_s", to_json(target.beyond_s)}};
  add_speed_up(node, "speed_up_all_reduce", target.speed_up_all_reduce);
  add_speed_up(node, "speed_up_fp16", target.speed_up_fp16);
  return node;
}

Json to_json(const std::optional<Diagnosis>& diagnosis) {
  if (!diagnosis) return nullptr;
  Json causes = Json::array();
  for (const auto& cause : diagnosis->causes) {
    causes.push_back({{"kind", cause.kind}, {"words", cause.words}});
  }
  return {{"against", diagnosis->against},
          {diagnosis->target.metric, diagnosis->target.value},
          {"tta_ratio", to_json(diagnosis->tta_ratio)},
          {"step_ratio", diagnosis->step_ratio},
          {"iterations_ratio", to_json(diagnosis->iterations_ratio)},
          {"causes", causes},
          {"words", diagnosis_words(*diagnosis)}};
}

Json to_json(const ReportRow& row) {
  Json targets = Json::array();
  for (const auto& target : row.targets) targets.push_back(to_json(target));
  Json node{{"label", row.label},
            {"run", row.run},
            {"method", row.method},
            {"tried", row.tried},
            {"seeds", row.seeds},
            {"done", row.done},
            {"failed", row.failed},
            {"unfinished", row.unfinished},
            {"link_verdict", link_verdict_word(row.suspect)},
            {"host_verdict", host_verdict_word(row.cpu_bound)},
            {"machine_verdict", row.machine.empty() ? Json() : Json(row.machine)},
            {"attempts", row.attempts},
            {"stopped_at_target", row.stopped_at_target},
            {"targets", targets},
            {"time_of_steps_s", to_json(row.time_of_steps_s)},
            {"runs", row.runs},
            {"time_of_runs_s", to_json(row.time_of_runs_s)},
            {"mask_overlap", to_json(row.mask_overlap)},
            {"notes", row.notes},
            {"diagnosis", to_json(row.diagnosis)}};
  for (const auto& field : kRowFields) node[field.key] = to_json(row.*field.member);
  return node;
}

/// How each row stands beside the first one; empty without a headline.
Json standings_json(const ReportSection& section, const LinkReport& link) {
  const auto headline = headline_of(section, link);
  Json standings = Json::array();
  if (!headline) return standings;
  standings.push_back({{"label", headline->first},
                       {"standing", word_of(Standing::kFirst)},
                       {"reason", ""},
                       {"of_first", nullptr},
                       {"of_first_interval", nullptr}});
  for (const auto& row : headline->rows_beside) {
    standings.push_back(
        {{"label", row.label},
         {"standing", word_of(row.standing)},
         {"reason", row.reason},
         {"of_first", row.of_first ? Json(row.of_first->value) : Json()},
         {"of_first_interval", row.of_first ? to_json(row.of_first->interval) : Json()}});
  }
  return standings;
}

Json to_json(const ReportSection& section, const LinkReport& link) {
  Json rows = Json::array();
  for (const auto& row : link.rows) rows.push_back(to_json(row));
  return {{"link", link.link},
          {"description", link.words},
          {"headline", headline_line(section, link)},
          {"standings", standings_json(section, link)},
          {"rate_mbit", link.rate_mbit},
          {"probe", to_json(link.probe)},
          {"rows", rows}};
}

Json to_json(const ReportSection& section) {
  Json links = Json::array();
  for (const auto& link : section.links) links.push_back(to_json(section, link));
  return {{"title", section.title},
          {"name", section.name},
          {"files", section.files},
          {"mode", section.mode},
          {"comparison_hash", section.comparison_hash},
          {"seeds", section.seeds},
          {"pretrain_s", to_json(section.pretrain_s)},
          {"links", links},
          {"notes", section.notes}};
}

}  // namespace

Json to_json(const Report& report) {
  Json sections = Json::array();
  for (const auto& section : report.sections) sections.push_back(to_json(section));
  return {{"format", Report::kFormat},
          {"name", report.name},
          {"sections", sections},
          {"scaling", to_json(scaling(report.sections))}};
}

}  // namespace pacbench::report
