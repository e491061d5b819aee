#include "analysis/report/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "contract/scenario/scenario.h"

namespace pacbench::report {
namespace {

/// The method of that label in a run's scenario; null where there is none.
const Json* find_method(const RunResult& run, const Json& label) {
  for (const auto& method : run.scenario.at("methods")) {
    if (method.at("label") == label) return &method;
  }
  return nullptr;
}

/// Refuses a method that has other options than in the first run with its label.
void require_same_options(const Json& method, const store::NamedResult& run,
                          const std::vector<store::NamedResult>& runs) {
  for (const auto& other : runs) {
    const auto* first = find_method(other.result, method.at("label"));
    if (first == nullptr) continue;
    if (*first == method) return;
    throw ConfigError{
        run.path,
        {{"/scenario/methods",
          fmt::format("method \"{}\" has other options than in {}; run one of the two scenarios "
                      "again with another \"label\", or report the runs separately",
                      method.at("label").get<std::string>(), other.path)}}};
  }
}

/// The methods of all runs, each label once, in the order in which they first occur.
Json methods_of(const std::vector<store::NamedResult>& runs) {
  Json all = Json::array();
  std::set<std::string> labels;
  for (const auto& run : runs) {
    for (const auto& method : run.result.scenario.at("methods")) {
      require_same_options(method, run, runs);
      if (labels.insert(method.at("label").get<std::string>()).second) all.push_back(method);
    }
  }
  return all;
}

/// Refuses a run that leaves no target which it and all runs before it share.
void refuse_targets(const store::NamedResult& run, const std::vector<store::NamedResult>& runs) {
  const auto without = std::ranges::find_if(runs, [](const store::NamedResult& each) {
    return targets_of(each.result.scenario).empty();
  });
  if (without != runs.end()) {
    throw ConfigError{without->path,
                      {{"/scenario/targets",
                        "found no targets, since they follow from all-reduce once all of its "
                        "seeds are done; finish the run with pacbench run --resume"}}};
  }
  throw ConfigError{
      run.path,
      {{"/scenario/targets", fmt::format("found no target that all runs from {} to this one "
                                         "share, expected at least one; report them separately",
                                         runs.front().path)}}};
}

/// The targets that all runs share. Others are dropped: a target that a run did not look for would
/// look like one that it did not reach.
Json shared_targets(const std::vector<store::NamedResult>& runs) {
  auto shared = targets_of(runs.front().result.scenario);
  const bool may_be_empty = is_program_alone(runs.front().result.scenario);
  for (const auto& run : runs) {
    const auto own = targets_of(run.result.scenario);
    std::erase_if(
        shared, [&](const Target& target) { return std::ranges::find(own, target) == own.end(); });
    if (shared.empty() && !may_be_empty) refuse_targets(run, runs);
  }
  Json targets = Json::object();
  for (const auto& target : shared) targets[target.metric].push_back(target.value);
  return targets;
}

/// The part of a run that must agree between groups, with the network where both have one. The keys
/// of modes compose and simulate need not agree.
Json shared_part(const RunResult& run, bool with_network) {
  auto scenario = compared_part(run.scenario);
  for (const char* key : {"mode", "workload", "compose", "simulate"}) scenario.erase(key);
  if (!with_network) {
    for (const char* key : {"network", "slow_workers"}) scenario.erase(key);
  }
  return scenario;
}

std::optional<Difference> difference_between_groups(const RunResult& found,
                                                    const RunResult& expected) {
  // Simulations with other numbers of workers or other links may be in one report, side by side.
  if (!runs_workers(found) && !runs_workers(expected)) return std::nullopt;
  const bool with_network = has_network(found) && has_network(expected);
  return pacbench::first_difference(shared_part(found, with_network),
                                    shared_part(expected, with_network));
}

/// Whether two runs have a target in common, or one of them has none yet.
bool share_targets(const RunResult& one, const RunResult& other) {
  const auto own = targets_of(one.scenario);
  const auto others = targets_of(other.scenario);
  return own.empty() || others.empty() || std::ranges::find_first_of(own, others) != own.end();
}

bool same_group(const RunResult& one, const RunResult& other) {
  return one.mode == other.mode && share_targets(one, other) &&
         one.scenario.at("workload") == other.scenario.at("workload") &&
         has_curve(one.scenario) == has_curve(other.scenario) &&
         (runs_workers(one) || one.comparison_hash == other.comparison_hash);
}

/// The measurements of one cell, each with its run.
struct Measurements {
  std::vector<const CellResult*> cells;
  std::vector<std::string> paths;
};

void add_measurement(const store::NamedResult& run, const CellResult& cell,
                     std::vector<Measurements>& all) {
  const auto known = std::ranges::find_if(all, [&](const Measurements& each) {
    const auto& first = *each.cells.front();
    return first.label == cell.label && first.link == cell.link && first.seed == cell.seed;
  });
  auto& own = known == all.end() ? all.emplace_back() : *known;
  for (std::size_t i = 0; i < own.cells.size(); ++i) {
    const bool is_another = own.paths[i] != run.path && has_network(run.result) &&
                            to_json(*own.cells[i]) != to_json(cell);
    if (is_another) continue;
    throw ConfigError{
        run.path,
        {{"/cells",
          fmt::format("{} on {} with seed {} is also in {}; leave out one of the two runs",
                      cell.label, cell.link, cell.seed, own.paths[i])}}};
  }
  own.cells.push_back(&cell);
  own.paths.push_back(run.path);
}

void require_no_difference(const std::optional<Difference>& difference,
                           const store::NamedResult& run, const store::NamedResult& first) {
  if (!difference) return;
  throw Incomparable{fmt::format(
      "{}: {}: found {}, but {} in {}: these two runs measured different things; report them "
      "separately",
      run.path, difference->pointer, difference->found, difference->expected, first.path)};
}

}  // namespace

std::string joined_names(const std::vector<std::string>& names) {
  std::vector<std::string> each_once;
  for (const auto& name : names) {
    if (std::ranges::find(each_once, name) == each_once.end()) each_once.push_back(name);
  }
  return fmt::format("{}", fmt::join(each_once, " + "));
}

Json comparable_part(const RunResult& run) {
  auto scenario = compared_part(run.scenario);
  scenario["mode"] = run.mode;
  return scenario;
}

std::optional<Difference> first_difference(const RunResult& found, const RunResult& expected) {
  auto difference = pacbench::first_difference(comparable_part(found), comparable_part(expected));
  if (difference || found.comparison_hash == expected.comparison_hash) return difference;
  return Difference{"/comparison_hash", found.comparison_hash, expected.comparison_hash};
}

bool is_sound(const CellResult& cell) {
  return cell.status == CellStatus::kDone && cell.link_verdict.word == "ok";
}

const TargetResult* find_target(const CellResult& cell, const Target& wanted) {
  const auto found = std::ranges::find(cell.targets, wanted, &TargetResult::target);
  return found == cell.targets.end() ? nullptr : &*found;
}

const CellResult& standing_cell(const std::vector<const CellResult*>& repeats) {
  auto sound = repeats;
  std::erase_if(sound, [](const CellResult* cell) { return !is_sound(*cell); });
  if (sound.empty()) return *repeats.front();
  std::ranges::stable_sort(sound, {}, &CellResult::time_per_iteration_s);
  return *sound[(sound.size() - 1) / 2];
}

MergedRuns merge_runs(std::vector<store::NamedResult> runs) {
  MergedRuns merged{std::move(runs), {}, {}};
  merged.result = merged.runs.front().result;
  merged.result.scenario["methods"] = methods_of(merged.runs);
  merged.result.cells.clear();
  std::vector<Measurements> cells;
  for (const auto& run : merged.runs) {
    for (const auto& cell : run.result.cells) add_measurement(run, cell, cells);
  }
  for (const auto& measured : cells) {
    merged.result.cells.push_back(standing_cell(measured.cells));
    if (measured.cells.size() == 1) continue;
    for (const auto* cell : measured.cells) merged.repeats.push_back(*cell);
  }
  merged.result.scenario["targets"] = shared_targets(merged.runs);
  std::vector<std::string> names;
  for (const auto& run : merged.runs)
    names.push_back(run.result.scenario.at("name").get<std::string>());
  merged.result.scenario["name"] = joined_names(names);
  return merged;
}

std::vector<MergedRuns> merge_by_workload(const std::vector<store::NamedResult>& runs) {
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
  for (auto& group : groups) group = merge_runs(std::move(group.runs));
  return groups;
}

}  // namespace pacbench::report
