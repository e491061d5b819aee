#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "contract/worker/simulation_spec.h"
#include "simulate/gloo/process_group.h"
#include "simulate/gloo/transport.h"

namespace pacbench::simulate {

class Rank;

/// All ranks of a cell over a network.
class Simulation {
 public:
  using Tell = std::function<void(const Json& event)>;

  /// `tell` is called with the events of all ranks as they happen. `spec` and `network` must
  /// outlive this object. Throws std::invalid_argument unless the profile has the exchanges of
  /// exactly one method.
  Simulation(const SimulationSpec& spec, Network& network, Tell tell);
  ~Simulation();

  /// Schedules the start of all ranks and returns at once; the caller then runs the network.
  void start();

  /// Reports each rank's end. Throws std::runtime_error naming the ranks that wait for messages
  /// that nobody sends.
  void finish();

  /// The traffic of each direction; `names` are the directions' names by number.
  netd::CountersReply counters(const std::vector<std::string>& names) const;

 private:
  const SimulationSpec& spec_;
  Network& network_;
  Tell tell_;
  Transport transport_;
  GroupNumbers numbers_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace pacbench::simulate
