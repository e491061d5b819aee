#include "harness/verify/recompute.h"

#include "harness/cell/files.h"
#include "harness/cell/summary.h"
#include "harness/compose/composed_clock.h"

namespace pacbench::verify {

bool has_ended(const RecordedRun& run, const run::Cell& cell) {
  bool has_end = false;
  cell::for_each_event(run.cell_folder(cell) + "/events.jsonl", cell::Broken::kRefuse,
                       [&](const Json& event, const std::string&, std::size_t) {
                         has_end = event.at("event") == "ended";
                       });
  return has_end;
}

Recomputed recompute(const RecordedRun& run, const run::Cell& cell,
                     const fidelity::ProbeBook& probes) {
  auto record = cell::read_record(run.cell_folder(cell), {run.scenario, cell});
  record.set_probes(probes.of(cell.folder_name()));
  std::optional<std::vector<EvaluationEvent>> curve;
  if (is_compose(run.scenario) && record.training() && !record.curve().empty()) {
    curve = compose::timed(record.curve(), run.scenario, record);
    record.set_curve(*curve);
  }
  return {cell::summarise(run.scenario, cell, record), std::move(curve)};
}

}  // namespace pacbench::verify
