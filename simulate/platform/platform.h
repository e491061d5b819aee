#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "contract/worker/simulation_spec.h"

namespace pacbench::simulate {

/// Makes the platform of these links in the engine, which is there and has none yet; returns the
/// workers' hosts. Three flows or more over a link take `sharing_factor` of its rate together.
/// Directions of a tree have the names that an emulated cell gives them ("worker3.up"). Throws
/// std::invalid_argument for a topology that it does not know.
std::vector<simgrid::s4u::Host*> make_platform(const SimulatedLinks& links, double sharing_factor);

}  // namespace pacbench::simulate
