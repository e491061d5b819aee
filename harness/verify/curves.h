#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
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

/// Gives a cell whose method decides by measured time the decisions that rank 0 recorded, so that
/// the method makes no new ones. Returns any other cell unchanged. A cell that ended before the
/// first decision needs none: until then the method behaves the same each time. Throws ConfigError
/// or std::system_error for lines that cannot be read, and ConfigError for decisions that are no
/// numbers.
plan::Cell with_recorded_decisions(plan::Cell cell, const std::string& cell_folder,
                                   const Catalogue& catalogue);

/// A folder with the Python files of a run's classes as the run kept them: the folder that they
/// came from where they are still the same, since a task's data may lie beside them, else a
/// temporary one. The constructor throws ConfigError where the run kept none, or one that lay
/// outside that folder.
class KeptCode {
 public:
  explicit KeptCode(const store::RecordedRun& run);
  const std::string& folder() const { return folder_; }

 private:
  std::optional<TemporaryFolder> temporary_;
  std::string folder_;
};

}  // namespace pacbench::verify
