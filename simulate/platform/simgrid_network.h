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

/// A network of SimGrid's: flows that share rates as its fluid model says, over links of a platform
/// that is made here; flows that share nothing need no model (lone_flows.h). There can be one in a
/// process. Links have their latency in the platform, but flows do not wait for it: who sends
/// messages one behind another on a connection does (gloo/transport.h), where the model would let
/// each message wait anew.
class SimGridNetwork final : public Network {
 public:
  /// `lone_flows` false: SimGrid carries those that share nothing too, for tests. Throws
  /// std::invalid_argument for a topology that it does not know.
  SimGridNetwork(const SimulatedLinks& links, const Simulate& model, bool lone_flows = true);

  double now_s() const override { return simgrid::s4u::Engine::get_clock(); }
  void after(double seconds, Then then) override;
  void carry(int from, int to, double wire_bytes, Then then) override;
  const Path& path(int from, int to) override;
  const Queue& queue(int direction) override {
    return queues_.at(static_cast<std::size_t>(direction));
  }
  double standing_bytes(int direction, double most_of_each) override;

  /// Until nothing more happens.
  void run() { engine_.run(); }

  /// Names of the directions, by number. One gets its number when a path first crosses it.
  const std::vector<std::string>& directions() const { return directions_; }

 private:
  struct Flow {
    simgrid::s4u::CommPtr comm;
    int from = 0;
    int to = 0;
    const Path* way = nullptr;
    std::vector<int> directions;  ///< of its way, when lone flows must know of it
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
  /// Flows of SimGrid's that stand in front of a direction.
  std::unordered_map<int, std::unordered_set<const simgrid::s4u::Activity*>> standing_;
  std::unordered_map<std::string, double> given_queues_;  ///< bytes, by name; else 1000 frames
  std::unordered_map<const simgrid::s4u::Activity*, Flow> flows_;  ///< under way
  /// The one that ended last: SimGrid looks at it once more after it has told.
  simgrid::s4u::CommPtr ended_;
};

}  // namespace pacbench::simulate
