#include "harness/verify/recompute.h"
#include "harness/record/read_record.h"

#include "harness/record/cell_result.h"
#include "harness/record/composed_clock.h"
#include "harness/store/files.h"

namespace pacbench::verify {

bool has_ended(const store::RecordedRun& run, const plan::Cell& cell) {
  bool has_end = false;
  store::for_each_event(run.cell_folder(cell) + "/events.jsonl", store::Broken::kRefuse,
                        [&](const Json& event, const std::string&, std::size_t) {
                          has_end = kind_of(event) == EventKind::kEnded;
                        });
  return has_end;
}

Recomputed recompute(const store::RecordedRun& run, const plan::Cell& cell,
                     const record::ProbeBook& probes) {
  auto record = record::read_record(run.cell_folder(cell), {run.scenario, cell});
  record.set_probes(probes.of(cell.folder_name()));
  std::optional<std::vector<EvaluationEvent>> curve;
  if (run.scenario.compose && record.training() && !record.curve().empty()) {
    curve = record::timed(record.curve(), run.scenario, record);
    record.set_curve(*curve);
  }
  return {record::summarise(run.scenario, cell, record), std::move(curve)};
}

}  // namespace pacbench::verify
