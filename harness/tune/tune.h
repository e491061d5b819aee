#pragma once

#include <functional>
#include <string>

#include "harness/run/run.h"

namespace pacbench::tune {

/// Runs the trainings of a tuning, in mode learn but for programs. `pacbench run` passes
/// run::run_scenario.
using RunTrainings = std::function<run::RunOutcome(const run::RunRequest&)>;

struct Tuned {
  /// The scenario with the chosen options and learning rates in the place of those to be tried, and
  /// without "tune"; each method says how many arms were tried for it. A method gets the label of
  /// its new options, unless the scenario gave it a label or another method has that one.
  Scenario scenario;
  bool interrupted = false;  ///< then nothing was chosen
};

/// Chooses the settings of all methods of `request.scenario`, which has a "tune", by the rules of
/// docs/RULES.md. Below `folder` there is a results folder for each method's trainings, another one
/// for those of each extension of the grid, and settings.json with what was tried and chosen. When
/// a method's chosen learning rate is at an edge of the grid, the grid is extended there by a
/// factor of two, for all methods and at most three times. With `request.resume` goes on with what
/// is in `folder`. Throws std::runtime_error when no arm of a method was trained to its end with
/// more than half of its seeds, or a training failed without having diverged. Throws ConfigError
/// when `folder` is not empty without `request.resume`. Also throws as run::run_scenario does.
Tuned tune(const run::RunRequest& request, const Catalogue& catalogue, const std::string& folder,
           const RunTrainings& run);

}  // namespace pacbench::tune
