#pragma once

#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "contract/worker/simulation_spec.h"
#include "simulate/network/network.h"
#include "simulate/platform/lone_flows.h"
#include "simulate/platform/sharing.h"

namespace pacbench::simulate {

/// A network in which flows share rates by SimGrid's fluid model, over links of a platform that is
/// made here. Flows that share no link need no model (lone_flows.h). A process can have one such
/// network. Links have their latency in the platform, but flows do not wait for it. The transport
/// adds it (gloo/transport.h): the model would make each message of a connection wait anew.
class SimGridNetwork final : public Network {
 public:
  /// `lone_flows` false: SimGrid carries flows that share no link too, for tests. Throws
  /// std::invalid_argument for an unknown topology.
  SimGridNetwork(const SimulatedLinks& links, const Simulate& model, bool lone_flows = true);

  double now_s() const override { return simgrid::s4u::Engine::get_clock(); }
  void after(double seconds, Then then) override;
  void carry(int from, int to, double wire_bytes, Then then) override;
  const Path& path(int from, int to) override;
  const Queue& queue(int direction) override {
    return queues_.at(static_cast<std::size_t>(direction));
  }
  double standing_bytes(int direction, double most_of_each) override;

  /// Runs the simulation until nothing more happens.
  void run() { engine_.run(); }

  /// Names of the directions, by number. A direction is numbered when a path first crosses it.
  const std::vector<std::string>& directions() const { return directions_; }

 private:
  struct Flow {
    simgrid::s4u::CommPtr comm;
    int from = 0;
    int to = 0;
    const Path* way = nullptr;
    std::vector<int> directions;  ///< of its path, when lone_ must know the flow
    Then then;
  };

  void give_queue(const std::string& name, const netd::Direction& direction);
  void number(const simgrid::s4u::Link& link);
  void share(LoneFlows::Rest rest);
  Crossing& crossing(int direction) { return *crossing_.at(static_cast<std::size_t>(direction)); }

  void ended(const simgrid::s4u::Activity& flow);

  Sharing sharing_;
  simgrid::s4u::Engine engine_;
  std::vector<simgrid::s4u::Host*> hosts_;  ///< by worker
  std::unordered_map<std::uint64_t, Path> paths_;
  std::unordered_map<std::string, int> numbers_;  ///< of directions
  double bandwidth_factor_;
  int mtu_;
  double most_bytes_of_each_;  ///< in the queue of a worker's own link
  bool takes_lone_flows_;
  LoneFlows lone_;
  std::vector<std::string> directions_;
  std::vector<Queue> queues_;        ///< of the directions
  std::vector<Crossing*> crossing_;  ///< of SimGrid's flows over the directions
  /// SimGrid's flows that wait in front of each direction.
  std::unordered_map<int, std::unordered_set<const simgrid::s4u::Activity*>> standing_;
  std::unordered_map<std::string, double> given_queues_;  ///< bytes, by name; else 1000 frames
  std::unordered_map<const simgrid::s4u::Activity*, Flow> flows_;  ///< under way
  /// The flow that ended last, kept because SimGrid uses it once more after its callback.
  simgrid::s4u::CommPtr ended_;
};

}  // namespace pacbench::simulate
