#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/report/merge.h"
#include "contract/worker/worker_event.h"
#include "harness/statistics/spread.h"

/// Curves, phases and bytes of cells, which figures take from the recorded lines.
namespace pacbench::figures {

/// A cell that is done, and the folder with its recorded lines.
struct RecordedCell {
  const CellResult* cell = nullptr;
  std::string folder;
};

/// One done cell for each seed of a method over a link, in the order of seeds. Where several runs
/// have a seed's cell, report::standing_cell() chooses one. The cells point into `runs`.
std::vector<RecordedCell> recorded_cells(const std::vector<store::NamedResult>& runs,
                                         const std::string& label, const std::string& link);

/// The evaluations of all seeds of a method after one iteration, as spreads over the seeds.
struct CurvePoint {
  std::int64_t iteration = 0;
  statistics::Spread training_s;
  statistics::Spread accuracy;
};

/// Returns the points at the iterations after which every seed has an accuracy. A curve that went
/// on with the slow seeds alone would bend where the other seeds stop.
std::vector<CurvePoint> median_curve(const std::vector<std::vector<EvaluationEvent>>& curves);

/// The events of all ranks about one iteration, in the order of ranks; empty when there is none.
using IterationOfRanks = std::vector<IterationEvent>;

/// Returns the first iteration of a cell whose step on rank 0 is within 1 % of
/// `time_per_iteration_s`, the cell's median. The first one is taken so that little of a long file
/// is read. If no step is that near, it returns the iteration whose step is nearest. Iteration 1 is
/// left out, as it is from the median. The result is empty for a user's own program, whose steps
/// have no phases, and without recorded lines. Throws ConfigError naming file and line when a line
/// cannot be read.
IterationOfRanks typical_iteration(const std::string& cell_folder, int workers,
                                   double time_per_iteration_s);

/// One iteration of a rank, cut into parts in seconds that add up to its step.
struct StepPhases {
  double compute_s = 0;         ///< forward and backward
  double exposed_encode_s = 0;  ///< after backward, no collective under way
  double exposed_wire_s = 0;    ///< after backward, at least one collective under way
  double rest_s = 0;            ///< optimiser, and what lies between the parts
};

StepPhases step_phases(const IterationEvent& event);

}  // namespace pacbench::figures
