#include "analysis/adapt/arm.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "analysis/report/rate_sweeps.h"
#include "base/errors.h"

namespace pacbench::adapt {
namespace {

/// The time at a rate, on the straight line over 1 / rate through the times at two measured rates.
double on_line(double rate_mbit, const std::pair<const double, double>& slower,
               const std::pair<const double, double>& faster) {
  const auto x = (1 / rate_mbit - 1 / faster.first) / (1 / slower.first - 1 / faster.first);
  return faster.second + x * (slower.second - faster.second);
}

[[noreturn]] void refuse(const std::string& source, const std::string& problem) {
  throw ConfigError{source, {{"", problem}}};
}

/// The links of the section, which must be one sweep over rates.
report::RateSweep sweep_of(const std::string& source, const report::ReportSection& section) {
  if (!has_network(section)) {
    refuse(source, "found a run in mode learn, expected one over links of several rates");
  }
  const auto sweeps = report::rate_sweeps(section);
  if (sweeps.size() == 1 && sweeps.front().size() == section.links.size()) return sweeps.front();
  refuse(source, fmt::format("found {} links that are no sweep over rates; expected at least two "
                             "links that differ in nothing but a constant rate, each rate once",
                             section.links.size()));
}

/// The rows with this label, one for each link of the sweep. Empty unless all cells are done over
/// links as declared, all seeds reached the target, and all rows have the seeds of `first` (if
/// null: those of the first link's row).
std::vector<const report::ReportRow*> rows_that_count(const report::RateSweep& sweep,
                                                      const std::string& label, std::size_t target,
                                                      const report::ReportRow* first) {
  std::vector<const report::ReportRow*> rows;
  for (const auto* link : sweep) {
    const auto* row = report::find_row(*link, label);
    if (row == nullptr || !report::comparable(*row, first == nullptr ? *row : *first)) return {};
    const auto& times = row->targets[target].tta_s_of_seeds;
    const bool reached =
        !times.empty() && std::all_of(times.begin(), times.end(),
                                      [](const auto& of) { return of.second.has_value(); });
    if (!reached) return {};
    rows.push_back(row);
    first = rows.front();
  }
  return rows;
}

}  // namespace

double Arm::tta_at(double rate_mbit) const {
  if (tta_s.empty()) throw std::invalid_argument{"an arm without a time"};
  if (rate_mbit <= 0) throw std::invalid_argument{"a rate that is not above 0"};
  if (tta_s.size() == 1 || rate_mbit >= tta_s.rbegin()->first) return tta_s.rbegin()->second;
  auto faster = tta_s.upper_bound(rate_mbit);
  const bool is_below = faster == tta_s.begin();
  if (is_below) ++faster;
  const double time_s = on_line(rate_mbit, *std::prev(faster), *faster);
  // If scatter made the time at the lowest rate shorter than that at the next rate, the line gives
  // still shorter times below the lowest rate.
  return is_below ? std::max(time_s, tta_s.begin()->second) : time_s;
}

Arms arms_of(const std::string& source, const report::ReportSection& section, std::size_t target) {
  const auto sweep = sweep_of(source, section);
  const auto& candidates = sweep.front()->rows;
  const auto targets = candidates.empty() ? 0 : candidates.front().targets.size();
  if (target >= targets) {
    refuse(source,
           fmt::format("found {} targets, expected at least {} (--target)", targets, target + 1));
  }
  Arms arms;
  arms.target = candidates.front().targets[target].target;
  for (const auto* link : sweep) arms.rates_mbit.push_back(link->rate_mbit);
  const report::ReportRow* first = nullptr;
  for (const auto& candidate : candidates) {
    const auto rows = rows_that_count(sweep, candidate.label, target, first);
    if (rows.empty()) {
      arms.left_out.push_back(candidate.label);
      continue;
    }
    first = rows.front();
    Arm median{candidate.label, {}};
    std::vector<Arm> seeds(first->targets[target].tta_s_of_seeds.size(), median);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<double> times;
      for (const auto& [seed, tta_s] : rows[i]->targets[target].tta_s_of_seeds) {
        seeds[times.size()].tta_s[arms.rates_mbit[i]] = *tta_s;
        times.push_back(*tta_s);
      }
      median.tta_s[arms.rates_mbit[i]] = statistics::median(times);
    }
    arms.medians.push_back(std::move(median));
    arms.of_seeds.resize(seeds.size());
    for (std::size_t i = 0; i < seeds.size(); ++i) arms.of_seeds[i].push_back(std::move(seeds[i]));
  }
  if (arms.medians.empty()) {
    refuse(source,
           fmt::format("found no method whose seeds all reached {} at every rate over links as "
                       "declared, expected at least one",
                       words_of(arms.target)));
  }
  return arms;
}

}  // namespace pacbench::adapt
