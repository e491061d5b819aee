#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "contract/worker/simulation_spec.h"
#include "simulate/platform/sharing.h"

namespace pacbench::simulate {

/// Makes the platform of these links in the engine, which is there and has none yet; returns the
/// workers' hosts. `sharing`, which outlives them, says what flows take of a link together.
/// Directions of a tree have the names that an emulated cell gives them ("worker3.up"). Throws
/// std::invalid_argument for a topology that it does not know.
std::vector<simgrid::s4u::Host*> make_platform(const SimulatedLinks& links, Sharing& sharing);

}  // namespace pacbench::simulate
