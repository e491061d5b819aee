#include "analysis/figures/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "contract/worker/event_kind.h"
#include "harness/record/spans.h"
#include "harness/store/files.h"

namespace pacbench::figures {
namespace {

constexpr double kNear = 0.01;

IterationEvent read_iteration(const std::string& path, std::size_t number, const Json& event) {
  try {
    return event.get<IterationEvent>();
  } catch (const Json::exception& error) {
    throw ConfigError{fmt::format("{}:{}", path, number),
                      {{"", fmt::format("expected an iteration: {}", error.what())}}};
  }
}

double distance(const IterationOfRanks& ranks, double time_per_iteration_s) {
  return std::abs(record::length_s(ranks.front().step) / time_per_iteration_s - 1);
}

double at_least_0_s(const Span& span) { return std::max(record::length_s(span), 0.0); }

/// The seconds of `window` in which at least one collective was under way.
double wire_within_s(const IterationEvent& event, const Span& window) {
  auto spans = record::wire_spans(event.buckets);
  for (auto& span : spans) {
    span = {std::max(span.start_ns, window.start_ns), std::min(span.end_ns, window.end_ns)};
  }
  return record::covered_s(std::move(spans));
}

}  // namespace

std::vector<RecordedCell> recorded_cells(const std::vector<store::NamedResult>& runs,
                                         const std::string& label, const std::string& link) {
  std::map<std::int64_t, std::vector<const CellResult*>> of_seed;
  std::map<const CellResult*, std::string> folders;
  for (const auto& run : runs) {
    for (const auto& cell : run.result.cells) {
      if (cell.label != label || cell.link != link || cell.status != CellStatus::kDone) continue;
      of_seed[cell.seed].push_back(&cell);
      folders[&cell] = run.cell_folder(cell);
    }
  }
  std::vector<RecordedCell> found;
  for (const auto& [seed, repeats] : of_seed) {
    const auto& cell = report::standing_cell(repeats);
    found.push_back({&cell, folders.at(&cell)});
  }
  return found;
}

std::vector<CurvePoint> median_curve(const std::vector<std::vector<EvaluationEvent>>& curves) {
  struct Values {
    std::vector<double> training_s;
    std::vector<double> accuracy;
  };
  std::map<std::int64_t, Values> at;
  for (const auto& curve : curves) {
    for (const auto& evaluation : curve) {
      if (!evaluation.accuracy) continue;
      auto& values = at[evaluation.iteration];
      values.training_s.push_back(evaluation.training_s);
      values.accuracy.push_back(*evaluation.accuracy);
    }
  }
  std::vector<CurvePoint> points;
  for (const auto& [iteration, values] : at) {
    if (values.accuracy.size() < curves.size()) continue;
    points.push_back(
        {iteration, statistics::spread(values.training_s), statistics::spread(values.accuracy)});
  }
  return points;
}

IterationOfRanks typical_iteration(const std::string& cell_folder, int workers,
                                   double time_per_iteration_s) {
  const auto path = cell_folder + "/iterations.jsonl";
  // Ranks wait for each other in exchanges, so the map holds few iterations at a time. With methods
  // that exchange only every few iterations it holds more.
  std::map<std::int64_t, std::map<int, IterationEvent>> unfinished;
  IterationOfRanks best;
  store::while_event(path, store::Broken::kRefuse,
                     [&](const Json& line, const std::string&, std::size_t number) {
                       // A step of a user's own program has no phases to show.
                       if (line.value("event", "") == word_of(EventKind::kStep)) return false;
                       const auto event = read_iteration(path, number, line);
                       if (event.iteration == 1) return true;
                       auto& ranks = unfinished[event.iteration];
                       ranks.insert_or_assign(event.rank, event);
                       if (ranks.size() < static_cast<std::size_t>(workers)) return true;
                       IterationOfRanks whole;
                       for (auto& [rank, of_rank] : ranks) whole.push_back(std::move(of_rank));
                       unfinished.erase(event.iteration);
                       const auto off = distance(whole, time_per_iteration_s);
                       if (best.empty() || off < distance(best, time_per_iteration_s))
                         best = std::move(whole);
                       return off > kNear;
                     });
  return best;
}

StepPhases step_phases(const IterationEvent& event) {
  StepPhases phases;
  phases.compute_s = at_least_0_s(event.forward) + at_least_0_s(event.backward);
  const auto exposed_s = at_least_0_s(event.exposed);
  phases.exposed_wire_s = wire_within_s(event, event.exposed);
  phases.exposed_encode_s = exposed_s - phases.exposed_wire_s;
  phases.rest_s = at_least_0_s(event.step) - phases.compute_s - exposed_s;
  return phases;
}

}  // namespace pacbench::figures
