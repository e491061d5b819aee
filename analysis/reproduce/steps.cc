#include "analysis/reproduce/steps.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pacbench::reproduce {
namespace {

StepTime step_time(const MeasuredLink& link, const report::ReportRow& row,
                   const Catalogue& catalogue) {
  StepTime time;
  time.label = row.label;
  time.seconds = *row.time_per_iteration_s;
  time.steps = std::max<std::int64_t>(1, std::llround(row.iterations_run->minimum) - 1);
  time.facts = facts_of(link, row, catalogue);
  time.suspect = row.suspect;
  time.cpu_bound = row.cpu_bound;
  const auto* base = report::first_of(link.link->rows, "all-reduce");
  if (base != nullptr && report::comparable(*base, row))
    time.speed_up = step_ratio(link, row, *base);
  return time;
}

StepColumn column_of(const MeasuredLink& link, const Catalogue& catalogue) {
  StepColumn column{link.setting, link.link->link, link.section->name, {}};
  for (const auto& row : link.link->rows) {
    if (row.time_per_iteration_s) column.times.push_back(step_time(link, row, catalogue));
  }
  return column;
}

StepMatrix empty_matrix(const MeasuredLink& link) {
  const auto& scenario = link.section->scenario;
  const auto& setting = link.setting;
  return {setting.network,
          setting.dataset,
          setting.mode,
          setting.computing,
          scenario.at("workers"),
          scenario.at("workload").at("batch_per_worker"),
          {}};
}

auto key(const StepMatrix& matrix) {
  return std::tie(matrix.network, matrix.dataset, matrix.mode, matrix.computing, matrix.workers,
                  matrix.batch_per_worker);
}

}  // namespace

std::vector<StepMatrix> step_matrices(const std::vector<MeasuredLink>& links,
                                      const Catalogue& catalogue) {
  std::vector<StepMatrix> matrices;
  for (const auto& link : links) {
    auto column = column_of(link, catalogue);
    if (link.is_speed || column.times.empty()) continue;
    auto own = empty_matrix(link);
    const auto found = std::find_if(matrices.begin(), matrices.end(),
                                    [&](const StepMatrix& each) { return key(each) == key(own); });
    auto& matrix = found == matrices.end() ? matrices.emplace_back(std::move(own)) : *found;
    matrix.columns.push_back(std::move(column));
  }
  for (auto& matrix : matrices) {
    std::stable_sort(matrix.columns.begin(), matrix.columns.end(),
                     [](const StepColumn& one, const StepColumn& other) {
                       return std::tie(one.setting.topology, one.setting.rate_mbit) <
                              std::tie(other.setting.topology, other.setting.rate_mbit);
                     });
  }
  return matrices;
}

}  // namespace pacbench::reproduce
