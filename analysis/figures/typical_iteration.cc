#include "analysis/figures/typical_iteration.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/clock.h"
#include "contract/worker/event_kind.h"
#include "harness/store/files.h"

namespace pacbench::figures {
namespace {

constexpr double kNear = 0.01;

IterationEvent iteration(const std::string& path, std::size_t number, const Json& event) {
  try {
    return iteration_event_from_json(event);
  } catch (const Json::exception& error) {
    throw ConfigError{fmt::format("{}:{}", path, number),
                      {{"", fmt::format("expected an iteration: {}", error.what())}}};
  }
}

double distance(const IterationOfRanks& ranks, double time_per_iteration_s) {
  const auto& step = ranks.front().step;
  return std::abs(seconds(step.end_ns - step.start_ns) / time_per_iteration_s - 1);
}

}  // namespace

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
                       const auto event = iteration(path, number, line);
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

}  // namespace pacbench::figures
