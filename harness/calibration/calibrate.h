#pragma once

#include <functional>
#include <string>

#include "harness/calibration/measure.h"
#include "harness/calibration/plan.h"
#include "harness/calibration/result.h"
#include "harness/machine/programs.h"

namespace pacbench::calibration {

/// Receives the name of the current measurement, and the share of the work that is done. It is a
/// share of the expected time in a calibration, of the attempts in a sweep.
using OnProgress = std::function<void(const std::string& what, double share)>;

struct Context {
  const Programs& programs;
  const Interrupt& interrupt;
  OnProgress on_progress;
};

/// The links to be measured, in the topology of `network`. In a star the directions that `shaped`
/// names have `rate_mbit`, and any other has at least 10 Gbit/s. In a chain of three switches the
/// links between switches have `rate_mbit`, whatever `shaped` is.
netd::CreateRequest network_of(const Network& network, double rate_mbit, Shaped shaped);

/// Measures everything that `options` asks for on networks that pacbench makes. Throws what Fabric
/// and Probing throw, Interrupted on Ctrl-C.
Calibration measure_own(const Options& options, const Context& context);

/// Measures a network that pacbench did not make, at the first rate of the options. Both directions
/// of its links are shaped. `options` must ask for neither rate steps nor single directions. A star
/// gets a flow, a ring, an incast, latency, messages and, if asked for, all-reduces; a chain gets
/// all-reduces alone.
Calibration measure_foreign(const Options& options, const Context& context, links::SlotHost& host,
                            const std::string& name);

}  // namespace pacbench::calibration
