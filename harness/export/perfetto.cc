#include "harness/export/perfetto.h"

#include <fmt/format.h>

#include "harness/cell/files.h"
#include "harness/export/cell_timeline.h"

namespace pacbench {
namespace {

/// Hands over the events of one kind; what else cannot be read of them names file and line.
template <typename Take>
void for_each_of(const std::string& path, const char* kind, Broken broken, Take take) {
  for_each_event(path, broken, [&](const Json& event, const std::string&, std::size_t number) {
    if (event.at("event") != kind) return;
    try {
      take(event);
    } catch (const Json::exception& error) {
      throw ConfigError{fmt::format("{}:{}", path, number),
                        {{"", fmt::format("no whole \"{}\" event: {}", kind, error.what())}}};
    }
  });
}

/// A cell that was broken off may end in half a line.
Broken broken_lines_of(const CellResult& cell) {
  return cell.status == "done" ? Broken::kRefuse : Broken::kEnd;
}

std::map<std::int64_t, double> read_curve(const std::string& folder, Broken broken) {
  std::map<std::int64_t, double> curve;
  for_each_of(folder + "/curve.jsonl", "evaluation", broken, [&](const Json& event) {
    const auto evaluation = evaluation_event_from_json(event);
    curve[evaluation.iteration] = evaluation.accuracy;
  });
  return curve;
}

NetworkTrace read_network_trace(const std::string& folder, Broken broken) {
  NetworkTrace trace;
  for_each_of(folder + "/network.jsonl", "stepped", broken,
              [&](const Json& event) { trace.add(event); });
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

  /// False when nothing of it was recorded.
  bool add(const CellResult& cell) {
    const auto folder = run_->cell_folder(cell);
    const auto broken = broken_lines_of(cell);
    const bool has_links = run_->result.mode == "emulate";
    CellTimeline timeline{trace_, names_, clock_, has_links, read_curve(folder, broken)};
    for_each_of(folder + "/iterations.jsonl", "iteration", broken,
                [&](const Json& event) { timeline.add(iteration_event_from_json(event)); });
    if (timeline.empty()) return false;
    trace_.slice(kRunProcess, 0, "cell", cell_name(cell), timeline.span(), args_of(cell));
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
                        "one cell: the folder holds results without their raw lines"}}};
  }
  timeline.finish();
}

}  // namespace pacbench
