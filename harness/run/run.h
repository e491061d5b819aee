#pragma once

#include <optional>
#include <string>

#include "contract/result/result.h"
#include "harness/machine/programs.h"
#include "harness/plan/plan.h"
#include "harness/run/progress.h"

namespace pacbench::run {

struct RunRequest {
  Scenario scenario;                             ///< its device is named, or was decided
  std::optional<plan::DeviceDecision> decision;  ///< on the device, where the file leaves it open
  plan::Filter filter;
  std::string out;          ///< empty: results/<name>-<time>
  bool over_hosts = false;  ///< each rank is on a host of its own, which checks its own GPU
  bool resume = false;
  /// With `resume`: cells that diverged are not run again. A run whose cells are all done or
  /// diverged may come from another machine or version, and its manifest stays as it is. This
  /// machine must still have the GPUs that the scenario needs, and device "auto" must choose the
  /// same device again.
  bool keep_diverged = false;
  /// With `resume`: done cells whose link was suspect, or whose machine was disturbed, run again.
  bool again_suspect = false;
  bool again_disturbed = false;
  Progress::Style progress = Progress::Style::kPlain;
};

struct RunOutcome {
  RunResult result;
  std::string folder;
  bool interrupted = false;
  int not_done = 0;  ///< cells of this run that failed or were interrupted
};

/// The folder of a run for which none is given: results/<name>-<time>.
std::string default_folder(const Scenario& scenario);

/// Runs the cells of a scenario that are not done yet. A failure in a cell is recorded in that
/// cell, and the other cells go on. Throws ConfigError when the folder, the data set or the machine
/// is not as needed, and std::system_error or store::RecordingFailed when results cannot be
/// written.
RunOutcome run_scenario(const RunRequest& request, const Catalogue& catalogue,
                        const Programs& programs);

}  // namespace pacbench::run
