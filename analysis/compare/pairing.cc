#include "analysis/compare/pairing.h"

#include <algorithm>

#include "contract/scenario/scenario.h"

namespace pacbench::compare {
namespace {

std::vector<const ComparedRun*> all_runs(const std::vector<ComparedRun>& base,
                                         const std::vector<ComparedRun>& next) {
  std::vector<const ComparedRun*> all;
  for (const auto* side : {&base, &next}) {
    for (const auto& run : *side) all.push_back(&run);
  }
  return all;
}

void add_cells(const ComparedRun& run, std::vector<RecordedCell> CellPair::*side,
               std::vector<CellPair>& pairs) {
  for (std::size_t i = 0; i < run.result.cells.size(); ++i) {
    const auto& cell = run.result.cells[i];
    auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const CellPair& known) {
      return known.label == cell.label && known.link == cell.link && known.seed == cell.seed;
    });
    if (pair == pairs.end()) {
      pairs.push_back({cell.label, cell.link, cell.seed, {}, {}});
      pair = pairs.end() - 1;
    }
    ((*pair).*side).push_back({&run, &cell, &run.curves[i]});
  }
}

/// The part of a run that must agree between the sides, apart from its methods.
Json compared(const RunResult& result) {
  auto document = compared_part(result.scenario);
  document["mode"] = result.mode;
  return document;
}

Json methods_by_label(const RunResult& result) {
  Json methods = Json::object();
  for (const auto& method : result.scenario.value("methods", Json::array())) {
    methods[method.value("label", "")] = method;
  }
  return methods;
}

std::optional<Difference> between(const RunResult& found, const RunResult& expected) {
  if (auto difference = first_difference(compared(found), compared(expected))) return difference;
  const auto other = methods_by_label(found);
  const auto methods = methods_by_label(expected);
  for (const auto& [label, method] : methods.items()) {
    if (!other.contains(label)) continue;
    if (auto part = first_difference(other.at(label), method, "/methods/" + label)) return part;
  }
  return std::nullopt;
}

}  // namespace

std::vector<CellPair> pair_cells(const std::vector<ComparedRun>& base,
                                 const std::vector<ComparedRun>& next) {
  std::vector<CellPair> pairs;
  for (const auto& run : base) add_cells(run, &CellPair::base, pairs);
  for (const auto& run : next) add_cells(run, &CellPair::next, pairs);
  return pairs;
}

std::optional<Mismatch> first_mismatch(const std::vector<ComparedRun>& base,
                                       const std::vector<ComparedRun>& next) {
  for (const auto* run : all_runs(base, next)) {
    if (const auto difference = between(run->result, base.front().result)) {
      return Mismatch{run->folder, *difference};
    }
  }
  return std::nullopt;
}

std::vector<Mismatch> machine_mismatches(const std::vector<ComparedRun>& base,
                                         const std::vector<ComparedRun>& next) {
  const auto& first = base.front();
  std::vector<Mismatch> mismatches;
  const auto expect = [&](const std::string& folder, const char* pointer, const std::string& found,
                          const std::string& expected) {
    const bool is_known =
        std::any_of(mismatches.begin(), mismatches.end(), [&](const Mismatch& known) {
          return known.difference.pointer == pointer && known.difference.found == found;
        });
    if (found == expected || is_known) return;
    mismatches.push_back({folder, {pointer, found, expected}});
  };
  for (const auto* run : all_runs(base, next)) {
    expect(run->folder, "/environment/cpu", run->machine().cpu, first.machine().cpu);
    expect(run->folder, "/environment/cores", std::to_string(run->machine().cores),
           std::to_string(first.machine().cores));
    expect(run->folder, "/environment/kernel", run->machine().kernel, first.machine().kernel);
  }
  return mismatches;
}

}  // namespace pacbench::compare
