#include "analysis/export/perfetto.h"

#include "analysis/export/cell_timeline.h"
#include "analysis/export/recorded_lines.h"
#include "harness/store/curve.h"

namespace pacbench::exports {
namespace {

std::map<std::int64_t, double> accuracies(const std::string& folder, store::Broken broken) {
  std::map<std::int64_t, double> by_iteration;
  for (const auto& each : store::read_curve(folder, broken)) {
    if (each.accuracy) by_iteration[each.iteration] = *each.accuracy;
  }
  return by_iteration;
}

record::NetworkTrace read_network_trace(const std::string& folder, store::Broken broken) {
  record::NetworkTrace trace;
  for_each_of(folder + "/network.jsonl", "stepped", broken,
              [&](const Json& event) { trace.add(kind_of(event), event); });
  return trace;
}

Json args_of(const CellResult& cell) {
  return {{"method", cell.label},
          {"link", cell.link},
          {"seed", cell.seed},
          {"status", cell.status},
          {"link_verdict", cell.link_verdict.word},
          {"host_verdict", cell.host_verdict.word}};
}

class RunTimeline {
 public:
  RunTimeline(const ExportedRun& run, const Write& write)
      : run_{&run}, trace_{write}, names_{trace_} {
    trace_.name_process(kRunProcess, run.name());
    trace_.name_track(kRunProcess, 0, "cells");
  }

  /// Adds a cell; returns false when none of its iterations was recorded.
  bool add(const CellResult& cell) {
    const auto folder = run_->cell_folder(cell);
    const auto broken = broken_lines_of(cell);
    const bool has_links = has_network(run_->result);
    CellTimeline timeline{trace_, names_, clock_, has_links, accuracies(folder, broken)};
    for_each_of(folder + "/iterations.jsonl", "iteration", broken,
                [&](const Json& event) { timeline.add(iteration_event_from_json(event)); });
    if (timeline.empty()) return false;
    trace_.slice(kRunProcess, 0, "cell", cell.name(), timeline.span(), args_of(cell));
    if (has_links) {
      timeline.add_rates(link_rates(run_->folder + "/result.json", run_->result.scenario, cell.link,
                                    read_network_trace(folder, broken),
                                    timeline.recorded_start_ns()));
    }
    return true;
  }

  void finish() { trace_.finish(); }

 private:
  const ExportedRun* run_;
  ChromeTrace trace_;
  TrackNames names_;
  TraceClock clock_;
};

}  // namespace

void write_perfetto(const ExportedRun& run, const Write& write) {
  RunTimeline timeline{run, write};
  bool any = false;
  for (const auto& cell : run.result.cells) any = timeline.add(cell) || any;
  if (!any) {
    throw ConfigError{run.folder,
                      {{"/cells",
                        "found no iteration in any iterations.jsonl, expected those of at least "
                        "one cell: the folder lacks the raw lines, or each cell is of a user's own "
                        "program or ended before its first iteration"}}};
  }
  timeline.finish();
}

}  // namespace pacbench::exports
