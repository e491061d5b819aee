#include "analysis/reproduce/table1.h"

namespace pacbench::reproduce {
namespace {

/// A claim about times to one accuracy.
Claim to_target(double accuracy) {
  Claim claim;
  claim.population.target = accuracy;
  return claim;
}

/// Accuracies that a row reached, in the order of the scenario.
std::vector<double> reached(const report::ReportRow& row) {
  std::vector<double> targets;
  for (const auto& target : row.targets) {
    const bool got_there = target.target.metric == kAccuracy && target.tta_s.median;
    if (got_there) targets.push_back(target.target.value);
  }
  return targets;
}

Table1Time time_to(double accuracy, const MeasuredLink& link, const report::ReportRow& own,
                   const report::ReportRow& base) {
  const auto claim = to_target(accuracy);
  const Contrast contrast{claim, link, own, base};
  Table1Time time;
  if (const auto* target = contrast.target()) {
    time.iterations = target->iterations.median;
    time.tta_s = target->tta_s.median;
  }
  if (!report::comparable(base, own)) return time;
  time.iterations_ratio = iterations_ratio(contrast);
  time.speed_up = time_ratio(contrast);
  return time;
}

Table1Row row_of(const std::vector<double>& targets, const MeasuredLink& link,
                 const report::ReportRow& own, const report::ReportRow& base,
                 const Catalogue& catalogue) {
  Table1Row row;
  row.label = own.label;
  for (const double target : targets) row.times.push_back(time_to(target, link, own, base));
  row.facts = facts_of(link, own, catalogue);
  row.suspect = own.suspect;
  row.cpu_bound = own.cpu_bound;
  return row;
}

std::optional<Table1> table_of(const MeasuredLink& link, const Catalogue& catalogue) {
  const auto* base = report::first_of(link.link->rows, "all-reduce");
  if (base == nullptr || !link.has_curve || !report::is_timed(*link.section)) return std::nullopt;
  const auto targets = reached(*base);
  if (targets.empty()) return std::nullopt;
  const auto& scenario = link.section->scenario;
  Table1 table{link.setting,
               link.link->link,
               link.section->name,
               scenario.at("workers"),
               scenario.at("workload").at("batch_per_worker"),
               targets,
               {}};
  for (const auto& row : link.link->rows) {
    table.rows.push_back(row_of(targets, link, row, *base, catalogue));
  }
  return table;
}

}  // namespace

std::vector<Table1> tables_1(const std::vector<MeasuredLink>& links, const Catalogue& catalogue) {
  std::vector<Table1> tables;
  for (const auto& link : links) {
    if (link.is_speed) continue;
    if (auto table = table_of(link, catalogue)) tables.push_back(std::move(*table));
  }
  return tables;
}

}  // namespace pacbench::reproduce
