#include "harness/figures/typical_iteration.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "base/clock.h"

namespace pacbench::figures {
namespace {

constexpr double kNear = 0.01;

IterationEvent parse(const std::string& path, std::size_t number, const std::string& line) {
  try {
    return iteration_event_from_json(Json::parse(line));
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
  if (!std::filesystem::exists(path)) return {};
  std::ifstream file{path};
  if (!file) throw std::system_error{errno, std::generic_category(), "open " + path};
  // Ranks are never more than a step apart: this holds few iterations at a time.
  std::map<std::int64_t, std::map<int, IterationEvent>> unfinished;
  IterationOfRanks best;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    auto event = parse(path, ++number, line);
    if (event.iteration == 1) continue;
    auto& ranks = unfinished[event.iteration];
    ranks.insert_or_assign(event.rank, event);
    if (ranks.size() < static_cast<std::size_t>(workers)) continue;
    IterationOfRanks whole;
    for (auto& [rank, of_rank] : ranks) whole.push_back(std::move(of_rank));
    unfinished.erase(event.iteration);
    const auto off = distance(whole, time_per_iteration_s);
    if (best.empty() || off < distance(best, time_per_iteration_s)) best = std::move(whole);
    if (off <= kNear) break;
  }
  return best;
}

}  // namespace pacbench::figures
