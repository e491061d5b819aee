#pragma once

#include <string>
#include <vector>

#include "contract/scenario/scenario.h"

namespace pacbench::tune {

/// One setting of a method with a learning rate: `place` in MethodEntry::settings (0 for the
/// entry's own options, where it names no settings).
struct Arm {
  std::size_t place = 0;
  double lr = 0;
};

/// Pairs each setting of a method with each of the learning rates `rates`.
std::vector<Arm> arms_of(const MethodEntry& method, const std::vector<double>& rates);

/// The options of an arm.
const Choice& choice_of(const MethodEntry& method, const Arm& arm);

/// The seeds that a method's arms train with: those of the scenario's tuning, and further ones for
/// a method with fewer settings than others. So all methods train equally often.
std::vector<std::int64_t> seeds_of(const Scenario& scenario, const MethodEntry& method);

/// The trainings of one method: a scenario of mode learn whose methods are those of arms_of(), in
/// their order. It evaluates on samples held out of the training set. A program of the user's own
/// has no mode learn: it trains over the scenario's first link, and is told by
/// PACBENCH_VALIDATION_SAMPLES how many samples to hold out.
Scenario training_scenario(const Scenario& scenario, const MethodEntry& method,
                           const std::vector<double>& rates);

}  // namespace pacbench::tune
