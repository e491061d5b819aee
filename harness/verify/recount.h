#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "contract/result/result.h"
#include "contract/scenario/scenario.h"
#include "contract/worker/worker_event.h"
#include "harness/record/probe_book.h"
#include "harness/store/recorded_run.h"

namespace pacbench::verify {

/// Whether the last line of a cell's events.jsonl says that the cell ended. Numbers alone do not
/// show this: a resumed run that was killed may leave the numbers of an earlier end.
bool has_ended(const store::RecordedRun& run, const plan::Cell& cell);

/// The numbers that follow from a cell's raw lines.
struct Recomputed {
  CellResult result;
  /// Modes compose and simulate: the curve at the times that the measured iterations give it.
  /// Absent in other modes, without a curve, and where the cell failed before the recorded training
  /// was added to its lines.
  std::optional<std::vector<EvaluationEvent>> curve;
};

/// Computes a cell's numbers from its raw lines. Throws ConfigError, naming file and line, when the
/// lines cannot be read. Throws as record::composed_clock does.
Recomputed recompute(const store::RecordedRun& run, const plan::Cell& cell,
                     const record::ProbeBook& probes);

/// The changes that recounting made to a run.
struct Recount {
  std::size_t cells = 0;             ///< whose numbers were written anew
  std::vector<std::string> changed;  ///< of them, those that differ now: folder, place, values
};

/// Writes the numbers of a run anew, from its raw lines by the rules of this pacbench. It writes
/// cell.json of every cell that came to its end, the times of composed curves and result.json, and
/// notes the recount in the manifest. All cells are recomputed before the first is written. Throws
/// ConfigError, having written nothing, when lines of a cell that has numbers are missing, were
/// changed or cannot be read.
Recount recount(const store::RecordedRun& run);

/// The evaluations of a done cell of all-reduce, one at least.
using Curve = std::vector<EvaluationEvent>;

/// Turns the targets that a scenario gives as shares of all-reduce into values, medians over
/// `curves`. A share of accuracy is multiplied by the final accuracy. A share of the iterations
/// gives the loss of the last evaluation up to that iteration, or of the first evaluation where all
/// are later. Returns none without a curve.
std::vector<Target> targets_of_shares(const Scenario& scenario, const std::vector<Curve>& curves);

/// For a run whose scenario has targets as shares of all-reduce, writes their values as targets
/// into the manifest and counts the run's cells anew (recount()). Returns the new result. Changes
/// nothing and returns `result` when no done cell of all-reduce has a curve. Throws as recount()
/// does.
RunResult with_targets_of_shares(const std::string& folder, const Catalogue& catalogue,
                                 RunResult result);

}  // namespace pacbench::verify
