#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "contract/worker/simulation_spec.h"

namespace pacbench::simulate {

/// Makes the platform of `links` in SimGrid's engine, which must exist and have no platform yet.
/// Returns the workers' hosts. Directions of a tree have the names that an emulated cell gives them
/// ("worker3.up"). Throws std::invalid_argument for an unknown topology.
std::vector<simgrid::s4u::Host*> make_platform(const SimulatedLinks& links);

}  // namespace pacbench::simulate
