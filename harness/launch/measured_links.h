#pragma once

#include <functional>
#include <string>

#include "contract/scenario/scenario.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"

namespace pacbench::launch {

/// Whether a link of the scenario has rates that are still to be measured.
bool has_unknown_links(const Scenario& scenario);

/// The scenario with one measured rate for its unknown links, in Mbit/s of frames. Every node sends
/// to the next node, all at once. The rate, up and down, is the median of these flows, rounded to
/// three digits. Where a flow is unsteady, as on a host that is taken away for a while, they are
/// measured again, up to four times, and the steadiest time counts. `say` gets the result in words.
/// Throws ProtocolError when the probes fail, and Interrupted.
Scenario with_measured_links(Scenario scenario, const Programs& programs,
                             const std::function<void(const std::string&)>& say);

/// The scenario in which each unknown link has the rates that an earlier part of the run measured
/// and recorded for the link of the same name. A link without such a record stays unknown.
Scenario with_links_of(Scenario scenario, const Scenario& recorded);

}  // namespace pacbench::launch
