#include "harness/store/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>

#include "base/files.h"
#include "base/text_file.h"
#include "harness/store/cell_file.h"
#include "harness/store/files.h"

namespace pacbench::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "state-";
constexpr std::string_view kSuffix = ".pt";
constexpr const char* kLines[] = {"events.jsonl", "iterations.jsonl", "curve.jsonl"};

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
  return std::ranges::min_element(last, {}, [](const auto& each) { return each.second; })->second;
}

bool holds(const std::string& path, const std::function<bool(const Json&)>& is_wanted) {
  bool found = false;
  for_each_event(path, Broken::kEnd, [&](const Json& event, const std::string&, std::size_t) {
    found = found || is_wanted(event);
  });
  return found;
}

/// Whether the evaluation of an iteration was recorded, or none was due.
bool is_evaluated(const std::string& folder, const Workload& workload, std::int64_t iteration) {
  const bool due = iteration % workload.evaluate_every == 0 || iteration == workload.max_iterations;
  return !due || holds(folder + "/curve.jsonl",
                       [&](const Json& event) { return event.at("iteration") == iteration; });
}

/// Whether the sample of an iteration's gradients was recorded, or none was due or the method gives
/// none. Without any sample the answer for the first one due is no: it may have been lost.
bool is_sampled(const std::string& folder, std::int64_t every, std::int64_t iteration) {
  if (every == 0 || iteration % every != 0) return true;
  const auto path = folder + "/events.jsonl";
  const auto is_sample = [](const Json& event) { return kind_of(event) == EventKind::kQuality; };
  if (!holds(path, is_sample)) return iteration > every;
  return holds(path, [&](const Json& event) {
    return is_sample(event) && event.at("iteration") == iteration;
  });
}

/// Whether an event is of the time up to the end of `iteration`, so that its line stays.
bool stays(const Json& event, std::int64_t iteration) {
  const auto kind = kind_of(event);
  if (kind == EventKind::kEnded || kind == EventKind::kDone || kind == EventKind::kFailed) {
    return false;
  }
  if (!event.contains("iteration")) return true;
  // A pruning event carries the iteration before it, so it comes after that iteration's state. What
  // has regrown is in that state.
  const bool comes_after = kind == EventKind::kPruned && !event.value("regrown", false);
  return event.at("iteration") < iteration || (event.at("iteration") == iteration && !comes_after);
}

/// The number of lines in a file, including a last one that no newline ends.
std::size_t lines_in(const std::string& path) {
  TextReader text{path};
  std::ptrdiff_t count = 0;
  bool whole = true;
  for (auto part = text.read(); !part.empty(); part = text.read()) {
    count += std::count(part.begin(), part.end(), '\n');
    whole = part.back() == '\n';
  }
  return static_cast<std::size_t>(count) + (whole ? 0 : 1);
}

/// Keeps the lines of a file for which stays() is true; returns how many other lines were removed.
std::size_t cut(const std::string& path, std::int64_t iteration) {
  if (!fs::exists(path)) return 0;
  const auto before = lines_in(path);
  constexpr std::size_t kPartBytes = std::size_t{1} << 20;
  std::size_t kept = 0;
  std::string part;
  NewFile shortened{path};
  for_each_event(path, Broken::kEnd, [&](const Json& event, const std::string& line, std::size_t) {
    if (!stays(event, iteration)) return;
    part += line + '\n';
    ++kept;
    if (part.size() < kPartBytes) return;
    shortened.write(part);
    part.clear();
  });
  shortened.write(part);
  if (kept < before) shortened.put_in_place();
  return before - kept;
}

/// Deletes cell.json: while a cell runs again, its old numbers mean nothing and its checksums would
/// be wrong.
void remove_numbers(const std::string& cell_folder) {
  if (fs::remove(cell_folder + "/cell.json")) sync_path(cell_folder);
}

SavedState usable_state(const std::string& folder, const Scenario& scenario) {
  const auto states = saved_states(folder);
  if (states.empty()) return {};
  const auto complete = complete_until(folder, scenario.workers);
  for (const auto& state : states) {
    if (state.iteration <= complete && is_evaluated(folder, scenario.workload, state.iteration) &&
        is_sampled(folder, scenario.quality_every, state.iteration)) {
      return state;
    }
  }
  return {};
}

std::string folder_of_try(const std::string& run_folder, const std::string& cell_name,
                          std::size_t number) {
  return fmt::format("{}/tries/{}.{}", run_folder, cell_name, number);
}

void move(const std::string& run_folder, const std::string& from, const std::string& to) {
  fs::rename(from, to);
  for (const char* name : {"/cells", "/tries"}) sync_path(run_folder + name);
}

}  // namespace

std::vector<std::string> remove_states(const std::string& cell_folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{cell_folder}) {
    // This includes states that a killed worker had not yet finished.
    auto name = entry.path().filename().string();
    if (name.starts_with(kPrefix)) names.push_back(std::move(name));
  }
  for (const auto& name : names) fs::remove(fs::path{cell_folder} / name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<SavedState> saved_states(const std::string& cell_folder) {
  std::vector<SavedState> states;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator{cell_folder, absent}) {
    const auto iteration = iteration_of(entry.path().filename().string());
    if (iteration > 0) states.push_back({entry.path().string(), iteration});
  }
  std::ranges::sort(states, std::ranges::greater{}, &SavedState::iteration);
  return states;
}

std::vector<std::string> broken_lines(const std::string& cell_folder) {
  std::vector<std::string> found;
  for (const char* file : kLines) {
    try {
      for_each_event(fmt::format("{}/{}", cell_folder, file), Broken::kRefuse,
                     [](const Json&, const std::string&, std::size_t) {});
    } catch (const ConfigError& error) {
      found.emplace_back(error.what());
    }
  }
  return found;
}

Rewound rewind_cell(const std::string& cell_folder, const Scenario& scenario) {
  Rewound rewound{usable_state(cell_folder, scenario), {}};
  if (rewound.state.path.empty()) return {};
  remove_numbers(cell_folder);
  remove_copies(cell_folder);
  for (const char* file : kLines) {
    const auto lines = cut(fmt::format("{}/{}", cell_folder, file), rewound.state.iteration);
    if (lines == 0) continue;
    rewound.deleted.push_back(fmt::format("{} line{} of {}", lines, lines == 1 ? "" : "s", file));
  }
  return rewound;
}

std::vector<std::string> delete_cell(const std::string& cell_folder) {
  std::vector<std::string> deleted;
  if (!fs::exists(cell_folder)) return deleted;
  for (const auto& entry : fs::directory_iterator{cell_folder}) {
    const auto name = entry.path().filename().string();
    const bool has_lines = entry.is_regular_file() && name.ends_with(".jsonl");
    deleted.push_back(
        has_lines ? fmt::format("{} ({} lines)", name, lines_in(entry.path().string())) : name);
  }
  std::sort(deleted.begin(), deleted.end());
  remove_numbers(cell_folder);
  fs::remove_all(cell_folder);
  return deleted;
}

std::vector<std::string> earlier_tries(const std::string& run_folder,
                                       const std::string& cell_name) {
  std::vector<std::string> tries;
  while (true) {
    auto folder = folder_of_try(run_folder, cell_name, tries.size() + 1);
    if (!fs::exists(folder)) return tries;
    tries.push_back(std::move(folder));
  }
}

void set_aside(const std::string& run_folder, const std::string& cell_name) {
  const auto number = earlier_tries(run_folder, cell_name).size() + 1;
  fs::create_directories(run_folder + "/tries");
  move(run_folder, cell_folder_of(run_folder, cell_name),
       folder_of_try(run_folder, cell_name, number));
}

void bring_back(const std::string& run_folder, const std::string& cell_name,
                const std::string& earlier_try) {
  const auto own = cell_folder_of(run_folder, cell_name);
  const auto aside = own + ".aside";
  move(run_folder, own, aside);
  move(run_folder, earlier_try, own);
  move(run_folder, aside, earlier_try);
}

}  // namespace pacbench::store
