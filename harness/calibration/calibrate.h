#pragma once

#include <functional>
#include <string>

#include "harness/calibration/measure.h"
#include "harness/calibration/plan.h"
#include "harness/calibration/result.h"
#include "harness/machine/programs.h"

namespace pacbench::calibration {

struct Context {
  const Programs& programs;
  const Interrupt& interrupt;
  /// Receives the name of the current measurement, and the share of the expected time that is over.
  std::function<void(const std::string& what, double share)> on_progress;
};

/// The links to be measured, in the topology of `network`. In a star the directions that `shaped`
/// names have `rate_mbit`, and any other has at least 10 Gbit/s. In a chain of three switches the
/// links between switches have `rate_mbit`, whatever `shaped` is. All rates are then divided by the
/// network's time dilation.
netd::CreateRequest network_of(const Network& network, double rate_mbit, Shaped shaped);

/// Measures everything that `options` asks for on networks that it makes. Throws what Fabric
/// and Probing throw, Interrupted on Ctrl-C.
Calibration calibrate(const Options& options, const Context& context);

}  // namespace pacbench::calibration
