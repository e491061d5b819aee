#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/fabric/fabric_spec.h"
#include "contract/profile/profile.h"
#include "contract/scenario/simulate.h"
#include "contract/scenario/worker_traits.h"

namespace pacbench {

/// The links of a simulation.
struct SimulatedLinks {
  std::string topology = "star";
  netd::CreateRequest tree;  ///< star, chain3, groups: as in an emulated cell; otherwise empty
  std::vector<int> shape;    ///< of fat-tree, dragonfly and torus (contract/network/network.h)
  double rate_mbit = 0;      ///< of each link of those three topologies, one way
  double delay_ms = 0;       ///< of each link of those three topologies, one way

  bool is_tree() const { return shape.empty(); }
};

/// The task of pacbench-simulate: the JSON document that it reads from its standard input. It
/// answers with the events of all ranks (worker_event.h), whose times are simulated and begin at 0,
/// and with what the links carried ("counters").
struct SimulationSpec {
  static constexpr int kVersion = 2;

  int workers = 1;
  std::int64_t iterations = 1;
  std::int64_t seed = 1;
  std::vector<WorkerTraits> traits;  ///< of each rank
  SimulatedLinks links;
  int mtu = 1500;
  Simulate model;
  /// The profile has the exchanges of the simulated method, and no others.
  Profile profile;
};

Json to_json(const SimulationSpec& spec);

/// Throws ConfigError when the document is not a simulation's task of this version.
SimulationSpec simulation_spec_from_json(const Json& document);

}  // namespace pacbench
