#pragma once

#include <cstdint>

#include "harness/plan/plan.h"
#include "harness/run/progress.h"
#include "harness/run/run.h"
#include "harness/store/run_folder.h"

namespace pacbench::run {

/// Whether disturbances of the machine left too few iterations of a done cell: fewer than a tenth
/// and fewer than 20, or fewer than stand for the others (record::QuietSteps) where over half were
/// disturbed; of a program without steps, whether others took a tenth of the CPUs' time.
bool is_too_disturbed(const CellResult& result);

/// Decides which cells are run again. The choice looks at verdicts and disturbances alone, never at
/// results. Each try keeps its folder (harness/store/resume.h).
class Reruns {
 public:
  Reruns(const RunRequest& request, const store::RunFolder& folder, Progress& progress);

  /// With --again: sets a done cell aside when its recorded verdict is one that was asked for.
  bool set_aside_as_asked(const plan::Cell& cell, const CellResult& recorded);

  /// Whether to run a cell again that has just ended with `result`; if so, sets it aside. At most
  /// twice for each cell, and only while this has taken less than half of the time of all cells so
  /// far, or ten seconds.
  bool wants_again(const plan::Cell& cell, const CellResult& result);

  /// Makes the least disturbed try the cell's own. Returns whether that was not the last one, whose
  /// result is `last`.
  bool bring_back_the_quietest(const plan::Cell& cell, const CellResult& last);

  /// The number of the try that is about to be made or under way, from 1 on.
  int attempt(const plan::Cell& cell) const;

 private:
  const RunRequest& request_;
  const store::RunFolder& folder_;
  Progress& progress_;
  bool is_limited_;  ///< by the quota of a cgroup
  std::int64_t began_ns_;
  double again_s_ = 0;         ///< spent on cells that had been run before
  int tries_of_cell_ = 0;      ///< that this process has set aside of the present cell
  std::int64_t since_ns_ = 0;  ///< when the present try began, if it is not the first
};

}  // namespace pacbench::run
