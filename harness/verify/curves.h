#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"
#include "harness/run/progress.h"
#include "harness/store/recorded_run.h"

namespace pacbench::verify {

/// Why curves cannot be compared with curves derived here, in words; nothing when they can, because
/// all that their bits depend on is the same. Throws ConfigError when the manifest does not record
/// that.
std::optional<std::string> incomparable_here(const store::RecordedRun& run,
                                             const Catalogue& catalogue);

/// The cells to check among `cells`: those that are done, at most `per_method` of each method, the
/// smallest seeds first, then the links in their order, on which few curves depend.
std::vector<plan::Cell> sample_curves(const store::RecordedRun& run,
                                      const std::vector<plan::Cell>& cells, std::size_t per_method);

/// The finding about one curve that was derived again.
struct CurveCheck {
  enum class Verdict { kEqual, kDiffers, kIncomparable, kNotDerived };
  Verdict verdict = Verdict::kEqual;
  std::string
      words;  ///< how much is equal; else file, line, found, expected; or why it is not known
};

/// Trains the cell again as `learn` does, without links and privilege, and compares the accuracy
/// and the loss of every evaluation and rank 0's loss of every iteration, exactly. Ends at the
/// first difference. Decisions by measured time are taken from the record. Recorded lines that
/// cannot be read differ, and so does a training that breaks off by itself; any other failure says
/// nothing about the run. Throws Interrupted on an interrupt.
CurveCheck verify_curve(const store::RecordedRun& run, const plan::Cell& cell,
                        const Catalogue& catalogue, const Programs& programs,
                        const Interrupt& interrupt, run::Progress& progress);

}  // namespace pacbench::verify
