#pragma once

#include <functional>
#include <string>

#include "harness/run/run.h"

namespace pacbench::tune {

/// Runs the trainings of a tuning, all in mode learn; the harness passes run::run_scenario.
using RunTrainings = std::function<run::RunOutcome(const run::RunRequest&)>;

/// How tuning ended.
struct Tuned {
  /// The scenario with the chosen options and learning rates in the place of those to be tried, and
  /// without "tune"; each method says how many settings were tried for it, and has the label of its
  /// new options unless the scenario gave it one.
  Scenario scenario;
  bool interrupted = false;  ///< then nothing was chosen
};

/// Chooses the settings of all methods of `request.scenario`, which has a "tune", by docs/RULES.md.
/// Below `folder` there is a results folder for each method's trainings, and settings.json with
/// what was tried and chosen. When the best learning rate of any method is at the edge of the grid,
/// the grid is extended by a factor of two for all methods, at most three times. With
/// `request.resume` goes on with what is in `folder`. Throws ConfigError when no training of a
/// method came to its end, or one failed without having diverged, and as run::run_scenario does.
Tuned tune(const run::RunRequest& request, const Catalogue& catalogue, const std::string& folder,
           const RunTrainings& run);

}  // namespace pacbench::tune
