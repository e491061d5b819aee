#pragma once

#include <string>
#include <vector>

#include "contract/fabric/fabric_spec.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"
#include "harness/record/link_probe.h"

namespace pacbench::probes {

/// Makes a fabric, sends from every worker to the next for two seconds, measures round trips where
/// there is delay, and takes everything down again. What goes wrong in it is in the probe's
/// `failure`; throws Interrupted alone, on Ctrl-C.
record::LinkProbe probe_links(const Programs& programs, const netd::CreateRequest& request,
                              const Interrupt& interrupt);

}  // namespace pacbench::probes
