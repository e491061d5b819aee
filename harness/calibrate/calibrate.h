#pragma once

#include <functional>
#include <string>

#include "harness/calibrate/measure.h"
#include "harness/calibrate/plan.h"
#include "harness/calibrate/result.h"
#include "harness/programs.h"

namespace pacbench::calibrate {

/// What is under way, in words, and the share of the expected time that has gone.
using OnProgress = std::function<void(const std::string& what, double share)>;

struct Context {
  const Programs& programs;
  const Interrupt& interrupt;
  OnProgress on_progress;
};

/// The links to be measured: a star of one rate, of which only the directions named hold it, or a
/// chain of three switches.
netd::CreateRequest network_of(const Network& network, double rate_mbit, Shaped shaped);

/// Measures everything that `options` asks for on networks of our own.
/// Throws what Fabric and Probing throw, CellEnded on Ctrl-C.
Calibration measure_own(const Options& options, const Context& context);

/// Measures somebody else's network: flows, ring, incast and messages, at the one rate named in
/// the options, with both directions shaped.
Calibration measure_foreign(const Options& options, const Context& context, cell::SlotHost& host,
                            const std::string& name);

}  // namespace pacbench::calibrate
