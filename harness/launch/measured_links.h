#pragma once

#include <functional>
#include <string>

#include "contract/scenario/scenario.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"

namespace pacbench::launch {

/// Whether a link of the scenario is measured and its rates are not known yet.
bool has_unknown_links(const Scenario& scenario);

/// The scenario with the measured rates of its links, in frames. All nodes send to the next node at
/// once; each way, the rate is the median over nodes of what a node sends or receives. `say` gets
/// what was found. Throws ProtocolError when the probes fail, and Interrupted.
Scenario with_measured_links(Scenario scenario, const Programs& programs,
                             const std::function<void(const std::string&)>& say);

/// The scenario with the rates that an earlier part of a run has recorded.
Scenario with_links_of(Scenario scenario, const Scenario& recorded);

}  // namespace pacbench::launch
