#include "harness/report/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "spec/scenario.h"

namespace pacbench::report {
namespace {

Json comparable_to(const RunResult& run) {
  auto scenario = compared_part(run.scenario);
  scenario["mode"] = run.mode;
  return scenario;
}

void add_methods(Json& all, const NamedResult& run, const std::string& first_path) {
  for (const auto& method : run.result.scenario.at("methods")) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Json& known) {
      return known.at("label") == method.at("label");
    });
    if (same == all.end()) {
      all.push_back(method);
    } else if (*same != method) {
      throw ConfigError{run.path,
                        {{"/scenario/methods",
                          fmt::format("\"{}\" has other options than in {}: give one of them a "
                                      "\"label\" of its own",
                                      method.at("label").get<std::string>(), first_path)}}};
    }
  }
}

/// A target that one run did not look for cannot be told apart from one it did not reach.
Json shared_targets(const std::vector<NamedResult>& runs) {
  Json shared = Json::object();
  for (const auto& target : targets_of(runs.front().result.scenario)) {
    const bool everywhere = std::all_of(runs.begin(), runs.end(), [&](const NamedResult& run) {
      const auto others = targets_of(run.result.scenario);
      return std::find(others.begin(), others.end(), target) != others.end();
    });
    if (everywhere) shared[target.metric].push_back(target.value);
  }
  if (shared.empty()) {
    throw ConfigError{
        runs.back().path,
        {{"/scenario/targets", fmt::format("no target is shared with {}", runs.front().path)}}};
  }
  return shared;
}

std::string joined_names(const std::vector<NamedResult>& runs) {
  std::vector<std::string> names;
  for (const auto& run : runs) {
    const auto name = run.result.scenario.at("name").get<std::string>();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : " + ") + name;
  return text;
}

/// What must agree between groups: their networks too, where both have one.
Json shared_part(const RunResult& run, bool with_network) {
  auto scenario = compared_part(run.scenario);
  for (const char* key : {"mode", "workload"}) scenario.erase(key);
  if (!with_network) {
    for (const char* key : {"network", "slow_workers"}) scenario.erase(key);
  }
  return scenario;
}

std::optional<Difference> difference_between_groups(const RunResult& found,
                                                    const RunResult& expected) {
  const bool with_network = !is_learn(found) && !is_learn(expected);
  return pacbench::first_difference(shared_part(found, with_network),
                                    shared_part(expected, with_network));
}

bool same_group(const RunResult& one, const RunResult& other) {
  return one.mode == other.mode && one.scenario.at("workload") == other.scenario.at("workload");
}

void require_no_difference(const std::optional<Difference>& difference, const NamedResult& run,
                           const NamedResult& first) {
  if (!difference) return;
  throw Incomparable{fmt::format(
      "{}: {}: found {}, but {} in {}: they measured different things; report "
      "them apart",
      run.path, difference->pointer, difference->found, difference->expected, first.path)};
}

}  // namespace

std::optional<Difference> first_difference(const RunResult& found, const RunResult& expected) {
  const auto difference = pacbench::first_difference(comparable_to(found), comparable_to(expected));
  if (difference || found.comparison_hash == expected.comparison_hash) return difference;
  return Difference{"/comparison_hash", found.comparison_hash, expected.comparison_hash};
}

RunResult merge_results(const std::vector<NamedResult>& runs) {
  auto merged = runs.front().result;
  merged.cells.clear();
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::string> origins;
  for (const auto& run : runs) {
    add_methods(merged.scenario["methods"], run, runs.front().path);
    for (const auto& cell : run.result.cells) {
      const auto [place, is_new] =
          origins.emplace(std::tuple{cell.label, cell.link, cell.seed}, run.path);
      if (!is_new) {
        throw ConfigError{
            run.path,
            {{"/cells", fmt::format("{} on {} with seed {} is in {} too: leave one "
                                    "of them out",
                                    cell.label, cell.link, cell.seed, place->second)}}};
      }
      merged.cells.push_back(cell);
    }
  }
  merged.scenario["targets"] = shared_targets(runs);
  merged.scenario["name"] = joined_names(runs);
  return merged;
}

std::vector<MergedRuns> merge_by_workload(const std::vector<NamedResult>& runs) {
  std::vector<MergedRuns> groups;
  for (const auto& run : runs) {
    MergedRuns* own = nullptr;
    for (auto& group : groups) {
      const auto& first = group.runs.front();
      const bool same = same_group(run.result, first.result);
      if (same) own = &group;
      require_no_difference(same ? first_difference(run.result, first.result)
                                 : difference_between_groups(run.result, first.result),
                            run, first);
    }
    if (own == nullptr) own = &groups.emplace_back();
    own->runs.push_back(run);
  }
  for (auto& group : groups) group.result = merge_results(group.runs);
  return groups;
}

}  // namespace pacbench::report
