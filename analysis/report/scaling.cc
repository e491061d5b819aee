#include "analysis/report/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/report/section_contents.h"

namespace pacbench::report {
namespace {

std::string topology_of(const Json& scenario, const std::string& link) {
  const auto& network = scenario.at("network");
  for (const auto& profile : network.at("links")) {
    if (profile.at("name") == link && profile.contains("topology")) return profile.at("topology");
  }
  return network.at("topology");
}

struct Sample {
  ScalingPoint point;
  double samples_per_s = 0;
};

struct Samples {
  ScalingSeries series;  ///< still without points
  std::vector<Sample> all;
};

/// Whether points of both belong to one series. The batch may differ: with strong scaling it
/// shrinks as the number of workers grows.
bool is_one_series(const ScalingSeries& one, const ScalingSeries& other) {
  const auto key = [](const ScalingSeries& series) {
    return std::tie(series.label, series.workload, series.topology, series.link, series.rate_mbit);
  };
  return key(one) == key(other);
}

/// The samples of a series. An empty list is added where there is none yet. So series have the
/// order of the sections and of their links.
std::vector<Sample>& samples_of(std::vector<Samples>& found, ScalingSeries series) {
  const auto own = std::ranges::find_if(
      found, [&](const Samples& samples) { return is_one_series(samples.series, series); });
  if (own != found.end()) return own->all;
  found.push_back({std::move(series), {}});
  return found.back().all;
}

/// Adds the points to a series. All are compared with the one of the fewest workers.
ScalingSeries with_points(ScalingSeries series, std::vector<Sample> samples) {
  std::ranges::stable_sort(samples, {}, [](const Sample& one) { return one.point.workers; });
  for (auto& [point, samples_per_s] : samples) {
    if (!series.points.empty() && series.points.back().workers == point.workers) continue;
    const auto& first = samples.front();
    point.speed_up = samples_per_s / first.samples_per_s;
    point.efficiency = point.speed_up * first.point.workers / point.workers;
    series.points.push_back(point);
  }
  return series;
}

}  // namespace

std::vector<ScalingSeries> scaling(const std::vector<ReportSection>& sections) {
  std::vector<Samples> found;
  for (const auto& section : sections) {
    if (runs_workers(section)) continue;
    for (const auto& link : section.links) {
      for (const auto& row : link.rows) {
        if (!row.mean_iteration_s || !row.samples_per_s) continue;
        ScalingPoint point;
        point.workers = section.scenario.at("workers");
        point.mean_iteration_s = row.mean_iteration_s->median;
        if (const auto& busiest = row.busiest_link_bytes_per_iteration) {
          point.busiest_link_bytes = busiest->median;
        }
        samples_of(found, {row.label,
                           workload_words(section.scenario),
                           link.link,
                           topology_of(section.scenario, link.link),
                           link.rate_mbit,
                           {}})
            .push_back({point, row.samples_per_s->median});
      }
    }
  }
  std::vector<ScalingSeries> all;
  for (auto& [series, samples] : found) {
    all.push_back(with_points(std::move(series), std::move(samples)));
    if (all.back().points.size() < 2) all.pop_back();
  }
  return all;
}

Table scaling_table(const std::vector<ScalingSeries>& all) {
  Table table{{left_column("method"), left_column("workload"), left_column("topology"),
               left_column("link"), right_column("Mbit/s"), right_column("workers"),
               right_column("ms an iteration"), right_column("speed-up"),
               right_column("efficiency %"), right_column("MB on the busiest link")},
              {}};
  for (const auto& series : all) {
    for (const auto& point : series.points) {
      table.rows.push_back(
          {series.label, series.workload, series.topology, series.link,
           fmt::format("{:g}", series.rate_mbit), fmt::format("{}", point.workers),
           significant(1e3 * point.mean_iteration_s), significant(point.speed_up),
           significant(100 * point.efficiency),
           point.busiest_link_bytes ? significant(1e-6 * *point.busiest_link_bytes) : "—"});
    }
  }
  return table;
}

}  // namespace pacbench::report
