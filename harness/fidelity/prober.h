#pragma once

#include <string>
#include <vector>

#include "harness/fidelity/link_probe.h"
#include "harness/programs.h"

namespace pacbench::fidelity {

/// Makes a fabric, sends from every worker to the next for two seconds, measures round trips where
/// there is delay, and takes everything down again. What goes wrong in it is in the probe's
/// `failure`; throws CellEnded ("interrupted") alone, on Ctrl-C.
LinkProbe probe_links(const Programs& programs, const netd::CreateRequest& request,
                      const Interrupt& interrupt);

}  // namespace pacbench::fidelity
