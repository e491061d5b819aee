#pragma once

#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "contract/worker/simulation_spec.h"
#include "simulate/network/network.h"

namespace pacbench::simulate {

/// Simulated time, and the routes of a SimGrid platform, which the constructor makes. SimGrid's own
/// models of flows are not used (docs/fidelity/simulated.md says why), so its engine does not run.
/// A process can have at most one such network.
class SimGridNetwork : public Network {
 public:
  /// `links` must outlive this object. Directions of a tree have the names that an emulated cell
  /// gives them ("worker3.up"). Throws std::invalid_argument for an unknown topology.
  SimGridNetwork(const SimulatedLinks& links, const Simulate& model);

  double now_s() const override { return events_.now_s(); }
  void after(double seconds, Then then) override {
    events_.add(events_.now_s() + seconds, std::move(then));
  }
  const Path& path(int from, int to) override;
  const Service& service(int direction) override {
    return services_.at(static_cast<std::size_t>(direction));
  }

  /// Runs the simulation until nothing more happens.
  void run() { events_.run(); }

  /// Names of the directions, by number. A direction is numbered when a path first crosses it.
  const std::vector<std::string>& directions() const { return directions_; }

 private:
  int number_of(const simgrid::s4u::Link& link);

  /// In a tree of links the shapers' bursts are read from here; rates come from the platform.
  const SimulatedLinks& links_;
  simgrid::s4u::Engine engine_;
  Events events_;
  double bandwidth_factor_;
  std::vector<simgrid::s4u::Host*> hosts_;  ///< by worker
  std::unordered_map<std::uint64_t, Path> paths_;
  std::unordered_map<std::string, int> numbers_;  ///< of directions
  std::vector<std::string> directions_;
  std::vector<Service> services_;  ///< of the directions
};

}  // namespace pacbench::simulate
