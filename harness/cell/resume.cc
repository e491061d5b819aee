#include "harness/cell/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "harness/cell/files.h"

namespace pacbench::cell {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "state-";
constexpr std::string_view kSuffix = ".pt";

std::int64_t iteration_of(const std::string& file_name) {
  std::int64_t iteration = 0;
  if (!file_name.starts_with(kPrefix) || !file_name.ends_with(kSuffix)) return 0;
  const char* end = file_name.data() + file_name.size() - kSuffix.size();
  const auto [stop, error] = std::from_chars(file_name.data() + kPrefix.size(), end, iteration);
  return error == std::errc{} && stop == end ? iteration : 0;
}

/// The last iteration up to which all lines of all ranks are there, in their order.
std::int64_t complete_until(const std::string& folder, int ranks) {
  std::map<int, std::int64_t> last;
  for (int rank = 0; rank < ranks; ++rank) last[rank] = 0;
  for_each_event(folder + "/iterations.jsonl", Broken::kEnd,
                 [&](const Json& event, const std::string&, std::size_t) {
                   auto& iteration = last[event.value("rank", -1)];
                   if (event.value("iteration", std::int64_t{0}) == iteration + 1) ++iteration;
                 });
  return std::min_element(
             last.begin(), last.end(),
             [](const auto& one, const auto& other) { return one.second < other.second; })
      ->second;
}

bool holds(const std::string& path, const std::function<bool(const Json&)>& is_wanted) {
  bool found = false;
  for_each_event(path, Broken::kEnd, [&](const Json& event, const std::string&, std::size_t) {
    found = found || is_wanted(event);
  });
  return found;
}

/// The evaluation of an iteration, when one was due.
bool is_evaluated(const std::string& folder, const Workload& workload, std::int64_t iteration) {
  const bool due = iteration % workload.evaluate_every == 0 || iteration == workload.max_iterations;
  return !due || holds(folder + "/curve.jsonl",
                       [&](const Json& event) { return event.at("iteration") == iteration; });
}

/// The sample of an iteration's gradients, when one was due and the method gives any.
bool is_sampled(const std::string& folder, std::int64_t every, std::int64_t iteration) {
  if (every == 0 || iteration % every != 0) return true;
  const auto path = folder + "/events.jsonl";
  const auto is_sample = [](const Json& event) { return event.at("event") == "quality"; };
  return !holds(path, is_sample) || holds(path, [&](const Json& event) {
    return is_sample(event) && event.at("iteration") == iteration;
  });
}

/// From its state it would only fail again; a worker that was killed would not.
bool has_reported_failure(const std::string& folder) {
  return holds(folder + "/events.jsonl",
               [](const Json& event) { return event.at("event") == "failed"; });
}

/// Lines of the time up to the end of `iteration`.
bool stays(const Json& event, std::int64_t iteration) {
  const std::string kind = event.at("event");
  if (kind == "ended" || kind == "done" || kind == "failed") return false;
  if (!event.contains("iteration")) return true;
  // Pruning carries the iteration before it, and so comes after the state of that one.
  return event.at("iteration") < iteration ||
         (event.at("iteration") == iteration && kind != "pruned");
}

void cut(const std::string& path, std::int64_t iteration) {
  std::string text;
  for_each_event(path, Broken::kEnd, [&](const Json& event, const std::string& line, std::size_t) {
    if (stays(event, iteration)) text += line + '\n';
  });
  write_file_atomically(path, text);
}

SavedState usable_state(const std::string& folder, const Scenario& scenario) {
  const auto states = saved_states(folder);
  if (states.empty() || has_reported_failure(folder)) return {};
  const auto complete = complete_until(folder, scenario.workers);
  for (const auto& state : states) {
    if (state.iteration <= complete && is_evaluated(folder, scenario.workload, state.iteration) &&
        is_sampled(folder, scenario.quality_every, state.iteration)) {
      return state;
    }
  }
  return {};
}

}  // namespace

void remove_states(const std::string& cell_folder) {
  std::vector<fs::path> states;
  for (const auto& entry : fs::directory_iterator{cell_folder}) {
    // Also those that a killed worker had not yet finished.
    if (entry.path().filename().string().starts_with(kPrefix)) states.push_back(entry.path());
  }
  for (const auto& path : states) fs::remove(path);
}

std::vector<SavedState> saved_states(const std::string& cell_folder) {
  std::vector<SavedState> states;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator{cell_folder, absent}) {
    const auto iteration = iteration_of(entry.path().filename().string());
    if (iteration > 0) states.push_back({entry.path().string(), iteration});
  }
  std::sort(states.begin(), states.end(),
            [](const auto& one, const auto& other) { return one.iteration > other.iteration; });
  return states;
}

std::vector<std::string> broken_lines(const std::string& cell_folder) {
  std::vector<std::string> found;
  for (const char* file : {"events.jsonl", "iterations.jsonl", "curve.jsonl"}) {
    try {
      for_each_event(fmt::format("{}/{}", cell_folder, file), Broken::kRefuse,
                     [](const Json&, const std::string&, std::size_t) {});
    } catch (const ConfigError& error) {
      found.emplace_back(error.what());
    }
  }
  return found;
}

SavedState rewind_cell(const std::string& cell_folder, const Scenario& scenario) {
  const auto state = usable_state(cell_folder, scenario);
  if (state.path.empty()) return {};
  // The line about the cell's end goes first: a cell without one is not held against its numbers.
  for (const char* file : {"events.jsonl", "iterations.jsonl", "curve.jsonl"}) {
    cut(fmt::format("{}/{}", cell_folder, file), state.iteration);
  }
  fs::remove(cell_folder + "/cell.json");
  return state;
}

}  // namespace pacbench::cell
