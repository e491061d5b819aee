#include <algorithm>

#include "analysis/figures/panels.h"
#include "analysis/figures/typical_iteration.h"
#include "harness/record/iteration_phases.h"

namespace pacbench::figures {
namespace {

double milliseconds(std::int64_t duration_ns) { return static_cast<double>(duration_ns) * 1e-6; }

Json ranks_of(const IterationOfRanks& ranks) {
  const auto first = std::min_element(ranks.begin(), ranks.end(),
                                      [](const IterationEvent& one, const IterationEvent& other) {
                                        return one.step.start_ns < other.step.start_ns;
                                      });
  const auto start_ns = first->step.start_ns;
  Json all = Json::array();
  for (const auto& event : ranks) {
    Json spans = Json::array();
    for (const auto& phase : record::iteration_phases(event)) {
      spans.push_back({{"kind", phase.kind},
                       {"bucket", phase.bucket},
                       {"start_ms", milliseconds(phase.time.start_ns - start_ns)},
                       {"end_ms", milliseconds(phase.time.end_ns - start_ns)}});
    }
    all.push_back({{"rank", event.rank}, {"spans", std::move(spans)}});
  }
  return all;
}

}  // namespace

Json timelines(const FigureSource& source) {
  Json all = Json::array();
  if (!has_network(source.section)) return all;
  const auto workers = source.section.scenario.at("workers").get<int>();
  for (const auto& link : source.section.links) {
    for (const auto& row : link.rows) {
      for (const auto& [cell, folder] : recorded_cells(source.runs, row.label, link.link)) {
        const auto ranks = typical_iteration(folder, workers, cell->time_per_iteration_s);
        if (ranks.empty()) continue;
        all.push_back({{"link", link.link},
                       {"label", row.label},
                       {"seed", cell->seed},
                       {"iteration", ranks.front().iteration},
                       {"time_per_iteration_s", cell->time_per_iteration_s},
                       {"ranks", ranks_of(ranks)}});
        break;
      }
    }
  }
  return all;
}

}  // namespace pacbench::figures
