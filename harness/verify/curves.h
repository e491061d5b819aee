#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"
#include "harness/run/progress.h"
#include "harness/store/recorded_run.h"

namespace pacbench::verify {

/// Says why the curves of a run cannot be compared with curves derived on this machine: GPUs, NCCL,
/// other versions, or another CPU or number of cores. Returns nothing when none of these applies.
/// The number of threads is compared later, by verify_curve().
std::optional<std::string> incomparable_here(const store::RecordedRun& run,
                                             const Catalogue& catalogue);

/// Chooses cells to check among `cells`: done cells of pacbench's own methods and, where
/// `runs_code`, of users' classes, at most `per_method` of each method. Cells of the smallest seeds
/// are chosen first. Among cells of one seed the order of `cells` stays: few curves depend on the
/// link.
std::vector<plan::Cell> sample_curves(const store::RecordedRun& run,
                                      const std::vector<plan::Cell>& cells, std::size_t per_method,
                                      bool runs_code);

/// The finding about one curve that was derived again.
struct CurveCheck {
  enum class Verdict { kEqual, kDiffers, kIncomparable, kNotDerived };
  Verdict verdict = Verdict::kEqual;
  std::string
      words;  ///< how much is equal; else file, line, found, expected; or why it is not known
};

/// Trains the cell again as mode learn does, without links and privilege. Compares exactly the
/// accuracy and the loss of every evaluation and, where recorded, rank 0's loss of every iteration;
/// ends at the first difference. Decisions by measured time are taken from the record. Recorded
/// lines that cannot be read, and a training that breaks off by itself, count as a difference. Any
/// other failure says nothing about the run. Throws Interrupted on an interrupt.
CurveCheck verify_curve(const store::RecordedRun& run, const plan::Cell& cell,
                        const Catalogue& catalogue, const Programs& programs,
                        const Interrupt& interrupt, run::Progress& progress);

}  // namespace pacbench::verify
