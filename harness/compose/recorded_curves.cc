#include "harness/compose/recorded_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "contract/catalogue/choice_json.h"
#include "contract/network/link_facts.h"
#include "contract/scenario/workload.h"
#include "harness/store/cell_file.h"
#include "harness/store/files.h"

namespace pacbench::compose {
namespace {

/// Notes each place where two documents differ, with what was found and expected.
void note_difference(const std::string& pointer, const Json& found, const Json& expected,
                     std::vector<Issue>& issues) {
  for (const auto& change : Json::diff(found, expected)) {
    const std::string place = change.at("path");
    const Json::json_pointer at{place};
    const auto value = [&at](const Json& side) {
      return side.contains(at) ? side.at(at).dump() : std::string{"nothing"};
    };
    issues.push_back(
        {pointer + place, fmt::format("found {}, expected {}", value(found), value(expected))});
  }
}

void check_methods(const Scenario& found, const Scenario& expected, std::vector<Issue>& issues) {
  for (std::size_t i = 0; i < expected.methods.size(); ++i) {
    const auto& method = expected.methods[i];
    const auto pointer = fmt::format("/methods/{}", i);
    const auto other = std::ranges::find(found.methods, method.label, &MethodEntry::label);
    if (other != found.methods.end()) {
      note_difference(pointer, to_json(*other), to_json(method), issues);
    } else {
      issues.push_back({pointer, fmt::format("found no method \"{}\"", method.label)});
    }
  }
}

std::vector<Issue> disagreements(const Scenario& found, const Scenario& expected) {
  std::vector<Issue> issues;
  if (found.compose) {
    issues.push_back({"/mode", fmt::format("found \"{}\", expected \"learn\" or \"emulate\": a run "
                                           "that trained",
                                           word_of(found.mode))});
  }
  if (found.workers != expected.workers) {
    issues.push_back(
        {"/workers", fmt::format("found {}, expected {}", found.workers, expected.workers)});
  }
  note_difference("/workload", Json(found.workload), Json(expected.workload), issues);
  check_methods(found, expected, issues);
  for (const auto seed : expected.seeds) {
    if (std::ranges::count(found.seeds, seed) > 0) continue;
    issues.push_back({"/seeds", fmt::format("found no seed {}", seed)});
  }
  return issues;
}

bool is_done(const store::RecordedRun& run, const plan::Cell& cell) {
  const auto path = run.cell_folder(cell) + "/cell.json";
  return std::filesystem::exists(path) &&
         store::read_cell_file(path).result.status == CellStatus::kDone;
}

/// The bytes that rank 0 sent in each iteration, as its method declares. Successive iterations with
/// equal bytes are joined.
std::vector<record::AlikeIterations> iterations_of(const std::string& cell_folder) {
  std::vector<record::AlikeIterations> all;
  store::for_each_event(cell_folder + "/iterations.jsonl", store::Broken::kRefuse,
                        [&](const Json& event, const std::string&, std::size_t) {
                          if (event.at("rank") != 0) return;
                          const std::int64_t sent_bytes = event.at("expected_sent_bytes");
                          if (all.empty() || all.back().sent_bytes != sent_bytes) {
                            all.push_back({0, sent_bytes});
                          }
                          ++all.back().iterations;
                        });
  return all;
}

record::Training training_of(const std::string& cell_folder) {
  record::Training training{iterations_of(cell_folder), {}, 1};
  store::for_each_event(cell_folder + "/events.jsonl", store::Broken::kRefuse,
                        [&](const Json& event, const std::string&, std::size_t) {
                          if (kind_of(event) != EventKind::kPruned) return;
                          const auto pruned = event.get<PrunedEvent>();
                          training.pruning.push_back({pruned.iteration, pruned.seconds});
                          training.kept_fraction = pruned.kept_fraction;
                        });
  return training;
}

}  // namespace

store::RecordedRun open_curves(const Scenario& scenario, const Catalogue& catalogue) {
  auto run = store::open_run(scenario.compose->curve, catalogue);
  const auto issues = disagreements(run.scenario, scenario);
  if (issues.empty()) return run;
  throw ConfigError{fmt::format("{}, whose curves the scenario asks for", run.folder), issues};
}

RecordedCurve curve_of(const store::RecordedRun& run, const plan::Cell& cell,
                       const Catalogue& catalogue) {
  const auto& choice = cell.method.choice;
  const auto* method = catalogue.find_method(choice.name);
  const bool of_this_link =
      method != nullptr &&
      traits_of(*method, choice_to_json(choice), catalogue.methods).depends_on_link;
  for (const auto& link : link_profiles(run.scenario)) {
    const plan::Cell there{cell.method, link, cell.seed};
    if (of_this_link && link_facts(link) != link_facts(cell.link)) continue;
    if (!is_done(run, there)) continue;
    const auto folder = run.cell_folder(there);
    return {store::read_curve(folder, store::Broken::kRefuse), training_of(folder)};
  }
  throw ConfigError{
      run.folder,
      {{"",
        fmt::format("found no finished cell of {} with seed {}, from which {} takes its curve{}; "
                    "finish that run with --resume, or name another run in /compose/curve",
                    cell.method.label, cell.seed, cell.folder_name(),
                    of_this_link
                        ? "; the method decides by the link's rate, so the cell must be over a "
                          "link of the same rate, topology and groups"
                        : "")}}};
}

}  // namespace pacbench::compose
