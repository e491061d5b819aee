#include "harness/adapt/arm.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/errors.h"

namespace pacbench::adapt {
namespace {

/// The line over 1 / rate through two measured rates.
double on_line(double rate_mbit, const std::pair<const double, double>& slower,
               const std::pair<const double, double>& faster) {
  const auto x = (1 / rate_mbit - 1 / faster.first) / (1 / slower.first - 1 / faster.first);
  return faster.second + x * (slower.second - faster.second);
}

[[noreturn]] void refuse(const std::string& source, const std::string& problem) {
  throw ConfigError{source, {{"", problem}}};
}

std::vector<const report::LinkReport*> by_rate(const std::string& source,
                                               const report::ReportSection& section) {
  std::set<Json> others;
  std::vector<const report::LinkReport*> links;
  for (const auto& link : section.links) {
    for (auto profile : section.scenario.at("network").at("links")) {
      if (profile.at("name") != link.link) continue;
      if (!profile.contains("rate_mbit") || profile.contains("schedule")) {
        refuse(source,
               fmt::format("link {} has no constant rate, which all links here need", link.link));
      }
      profile.erase("name");
      profile.erase("rate_mbit");
      others.insert(profile);
    }
    links.push_back(&link);
  }
  if (others.size() > 1) refuse(source, "found links that differ in more than their rate");
  std::sort(links.begin(), links.end(),
            [](const auto* one, const auto* other) { return one->rate_mbit < other->rate_mbit; });
  if (links.size() < 2 || links.front()->rate_mbit == links.back()->rate_mbit) {
    refuse(source, "found one rate, expected at least two: a run with several links");
  }
  return links;
}

const report::ReportRow* row_of(const report::LinkReport& link, const std::string& label) {
  const auto found = std::find_if(link.rows.begin(), link.rows.end(),
                                  [&](const auto& row) { return row.label == label; });
  return found == link.rows.end() ? nullptr : &*found;
}

/// The seeds' times of a row that counts; empty for another.
std::vector<double> times_of(const report::ReportRow* row, std::size_t target) {
  std::vector<double> times;
  if (row == nullptr || !report::comparable(*row, *row)) return times;
  for (const auto& [seed, tta_s] : row->targets[target].tta_s_of_seeds) {
    if (!tta_s) return {};
    times.push_back(*tta_s);
  }
  return times;
}

}  // namespace

double Arm::tta_at(double rate_mbit) const {
  if (tta_s.empty()) throw std::invalid_argument{"an arm without a time"};
  if (rate_mbit <= 0) throw std::invalid_argument{"a rate that is not above 0"};
  if (tta_s.size() == 1 || rate_mbit >= tta_s.rbegin()->first) return tta_s.rbegin()->second;
  auto faster = tta_s.upper_bound(rate_mbit);
  if (faster == tta_s.begin()) ++faster;
  return on_line(rate_mbit, *std::prev(faster), *faster);
}

Arms arms_of(const std::string& source, const report::ReportSection& section, std::size_t target) {
  const auto links = by_rate(source, section);
  const auto& rows = links.front()->rows;
  if (rows.empty() || target >= rows.front().targets.size()) {
    refuse(source, fmt::format("found no target {}, expected 1 to {}", target + 1,
                               rows.empty() ? 0 : rows.front().targets.size()));
  }
  Arms arms;
  arms.target = rows.front().targets[target].target;
  for (const auto* link : links) arms.rates_mbit.push_back(link->rate_mbit);
  for (const auto& row : rows) {
    Arm median{row.label, {}};
    std::vector<Arm> seeds;
    for (const auto* link : links) {
      const auto times = times_of(row_of(*link, row.label), target);
      if (times.empty() || (!seeds.empty() && seeds.size() != times.size())) break;
      seeds.resize(times.size(), Arm{row.label, {}});
      for (std::size_t i = 0; i < times.size(); ++i) seeds[i].tta_s[link->rate_mbit] = times[i];
      median.tta_s[link->rate_mbit] = statistics::median(times);
    }
    const bool whole = median.tta_s.size() == links.size() &&
                       (arms.of_seeds.empty() || seeds.size() == arms.of_seeds.size());
    if (!whole) {
      arms.left_out.push_back(row.label);
      continue;
    }
    arms.medians.push_back(std::move(median));
    arms.of_seeds.resize(seeds.size());
    for (std::size_t i = 0; i < seeds.size(); ++i) arms.of_seeds[i].push_back(std::move(seeds[i]));
  }
  if (arms.medians.empty()) {
    refuse(source,
           fmt::format("no method reached {} with all seeds at every rate", words_of(arms.target)));
  }
  return arms;
}

}  // namespace pacbench::adapt
