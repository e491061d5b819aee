#pragma once

#include <functional>
#include <string>

#include "contract/scenario/scenario.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"

namespace pacbench::launch {

/// Whether a link of the scenario is measured and its rates are not known yet.
bool has_unknown_links(const Scenario& scenario);

/// The scenario with the rates of its measured links: as frames are counted, what each node sends
/// to the next and receives from the one before while all do so, the median over the nodes each
/// way. `say` hears what was found. Throws ProtocolError when the probes fail, and Interrupted.
Scenario with_measured_links(Scenario scenario, const Programs& programs,
                             const std::function<void(const std::string&)>& say);

/// The scenario with the rates that an earlier part of a run has recorded.
Scenario with_links_of(Scenario scenario, const Scenario& recorded);

}  // namespace pacbench::launch
