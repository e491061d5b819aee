#include <cmath>

#include "analysis/report/verdicts.h"
#include "analysis/reproduce/reproduction.h"
#include "analysis/reproduce/words.h"
#include "harness/statistics/spread_json.h"

namespace pacbench::reproduce {
namespace {

/// Null for what is absent, and for an infinite ratio.
Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json to_json(const std::optional<report::SpeedUpEnds>& ends) {
  if (!ends) return nullptr;
  return {{"low", number(ends->low)}, {"high", number(ends->high)}};
}

Json to_json(const Setting& setting) {
  return {{"network", setting.network},     {"dataset", setting.dataset},
          {"rate_mbit", setting.rate_mbit}, {"topology", setting.topology},
          {"mode", setting.mode},           {"computing", setting.computing},
          {"start", setting.start}};
}

Json to_json(const std::vector<Reason>& reasons) {
  Json list = Json::array();
  for (const auto& reason : reasons) {
    list.push_back({{"kind", reason.kind}, {"words", reason.words}});
  }
  return list;
}

Json to_json(const Evidence& evidence) {
  return {{"label", evidence.label},
          {"against", evidence.against},
          {"setting", to_json(evidence.setting)},
          {"pruning_ratio", number(evidence.ratio)},
          {"target", number(evidence.target)},
          {"value", number(evidence.value)},
          {"range", to_json(evidence.range)},
          {"interval", to_json(evidence.interval)},
          {"interval_of_steps", evidence.is_of_steps},
          {"range_of_runs", to_json(evidence.of_runs)},
          {"step_ratio", number(evidence.step)},
          {"by_bytes", number(evidence.by_bytes)},
          {"limit", number(evidence.limit)},
          {"at_other_speeds", evidence.speeds},
          {"seeds", evidence.seeds},
          {"link_verdict", report::link_verdict_word(evidence.suspect)},
          {"host_verdict", report::host_verdict_word(evidence.cpu_bound)},
          {"not_counted", to_json(evidence.not_counted)},
          {"reasons", to_json(evidence.reasons)}};
}

/// The words for a finding: word_of() or word_here().
using Word = std::string (*)(Finding);

Json to_json(const ArmAnswer& arm, Word word) {
  Json evidence = Json::array();
  for (const auto& each : arm.evidence) evidence.push_back(to_json(each));
  return {{"label", arm.label},
          {"kind", arm.kind},
          {"of_paper", arm.is_paper_arm},
          {"finding", word(arm.finding)},
          {"why", arm.why},
          {"counts", arm.counts},
          {"needed", arm.needed},
          {"measured", arm.measured},
          {"over_settings", to_json(arm.over_settings)},
          {"decisive", arm.decisive},
          {"evidence", std::move(evidence)}};
}

Json arms_json(const std::vector<ArmAnswer>& arms, Word word) {
  Json list = Json::array();
  for (const auto& arm : arms) list.push_back(to_json(arm, word));
  return list;
}

Json to_json(const ClaimAnswer& answer) {
  const auto& claim = *answer.claim;
  Json node{{"id", claim.id},
            {"words", claim.words},
            {"where", claim.where},
            {"first", claim.first},
            {"quantity", word_of(claim.quantity)},
            {"form", word_of(claim.form)},
            {"paper", claim.value},
            {"settings", claim.population.words},
            {"reading", claim.reading},
            {"settled_by", claim.settled_by},
            {"finding", word_of(answer.finding)},
            {"why", answer.why},
            {"arms", arms_json(answer.arms, word_of)},
            {"here", nullptr}};
  if (answer.here) {
    node["here"] = {{"settings", claim.here->words},
                    {"finding", word_here(answer.here->finding)},
                    {"why", answer.here->why},
                    {"arms", arms_json(answer.here->arms, word_here)}};
  }
  return node;
}

Json to_json(const StepTime& time) {
  Json node{{"label", time.label},
            {"time_per_iteration_s", to_json(std::optional{time.seconds})},
            {"steps", time.steps},
            {"speed_up_all_reduce", time.speed_up ? number(time.speed_up->value) : Json()},
            {"interval", time.speed_up ? to_json(time.speed_up->interval) : Json()},
            {"range_of_runs", time.speed_up ? to_json(time.speed_up->of_runs) : Json()},
            {"link_verdict", report::link_verdict_word(time.suspect)},
            {"host_verdict", report::host_verdict_word(time.cpu_bound)}};
  add_facts(node, time.facts);
  return node;
}

Json to_json(const Table1Time& time, double target) {
  return {{"target", target},
          {"iterations", number(time.iterations)},
          {"convergence_all_reduce", number(time.iterations_ratio)},
          {"tta_s", number(time.tta_s)},
          {"speed_up_all_reduce", time.speed_up ? number(time.speed_up->value) : Json()},
          {"interval", time.speed_up ? to_json(time.speed_up->interval) : Json()}};
}

Json to_json(const Table1Row& row, const std::vector<double>& targets) {
  Json times = Json::array();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    times.push_back(to_json(row.times[i], targets[i]));
  }
  Json node{{"label", row.label},
            {"targets", std::move(times)},
            {"link_verdict", report::link_verdict_word(row.suspect)},
            {"host_verdict", report::host_verdict_word(row.cpu_bound)}};
  add_facts(node, row.facts);
  return node;
}

Json to_json(const Table1& table) {
  Json methods = Json::array();
  for (const auto& row : table.rows) methods.push_back(to_json(row, table.targets));
  return {{"setting", to_json(table.setting)},
          {"link", table.link},
          {"name", table.name},
          {"workers", table.workers},
          {"batch_per_worker", table.batch_per_worker},
          {"methods", std::move(methods)}};
}

Json steps_json(const std::vector<StepMatrix>& matrices) {
  Json columns = Json::array();
  for (const auto& matrix : matrices) {
    for (const auto& column : matrix.columns) {
      Json times = Json::array();
      for (const auto& time : column.times) times.push_back(to_json(time));
      columns.push_back({{"setting", to_json(column.setting)},
                         {"link", column.link},
                         {"name", column.name},
                         {"workers", matrix.workers},
                         {"batch_per_worker", matrix.batch_per_worker},
                         {"times", std::move(times)}});
    }
  }
  return columns;
}

Json to_json(const RunIdentity& run) {
  return {{"path", run.path},
          {"name", run.name},
          {"mode", run.mode},
          {"commands", run.commands},
          {"scenario_hash", run.scenario_hash},
          {"comparison_hash", run.comparison_hash},
          {"git_commits", run.commits},
          {"host", run.host},
          {"cells", run.cells},
          {"planned_cells", run.planned}};
}

Json to_json(const UntestableClaim& claim) {
  return {{"words", claim.words}, {"where", claim.where}, {"why", claim.why}};
}

template <typename Item>
Json list_to_json(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

Json to_json(const Reproduction& reproduction) {
  return {{"format", Reproduction::kFormat},
          {"paper", reproduction.of->paper},
          {"source", reproduction.of->source},
          {"reproduced", reproduction.count(Finding::kReproduced)},
          {"better_than_claimed", reproduction.count(Finding::kBetter)},
          {"contradicted", reproduction.count(Finding::kContradicted)},
          {"not_testable_here", reproduction.count(Finding::kNotTestable)},
          {"claims", list_to_json(reproduction.claims)},
          {"untestable", list_to_json(reproduction.of->untestable)},
          {"tables_1", list_to_json(reproduction.tables_1)},
          {"steps", steps_json(reproduction.steps)},
          {"runs", list_to_json(reproduction.runs)},
          {"notes", reproduction.notes}};
}

}  // namespace pacbench::reproduce
