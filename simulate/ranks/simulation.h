#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "contract/worker/simulation_spec.h"
#include "simulate/network/network.h"

namespace pacbench::simulate {

/// All ranks of a cell over a network.
class Simulation {
 public:
  using Tell = std::function<void(const Json& event)>;

  /// `tell` gets the events of all ranks as they happen. `spec` and `network` outlive this. Throws
  /// std::invalid_argument when the document has no exchanges, or more than one method's.
  Simulation(const SimulationSpec& spec, Network& network, Tell tell);
  ~Simulation();

  /// Lets all ranks begin; returns at once, and the network's time has to go on.
  void start();

  /// Tells of each rank's end. Throws std::runtime_error naming those that wait for something that
  /// does not come.
  void finish();

  /// The traffic of each direction; `names` has them by number.
  netd::CountersReply counters(const std::vector<std::string>& names) const;

 private:
  struct Parts;

  const SimulationSpec& spec_;
  Network& network_;
  Tell tell_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pacbench::simulate
