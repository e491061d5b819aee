#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/fabric/bounds.h"
#include "contract/fabric/fabric_spec.h"

namespace pacbench {

/// A rate that changes with time. Each step holds until the next one. The last step holds for good,
/// or until the steps begin again.
struct RateSchedule {
  struct Step {
    double at_s = 0;  ///< from the start of training, ascending, the first at 0
    double rate_mbit = 0;
  };
  std::vector<Step> steps;  ///< none: the rate is constant
  double repeat_s = 0;      ///< from the first step until the steps begin again; 0: never

  bool any() const { return !steps.empty(); }
};

/// The values in which one worker's link differs from the profile.
struct LinkOverride {
  int worker = 0;
  std::optional<double> up_mbit;
  std::optional<double> down_mbit;
  std::optional<double> delay_ms;
  std::optional<double> jitter_ms;
  std::optional<double> loss;
  std::optional<double> reorder;
  std::optional<std::int64_t> queue_kb;
};

/// A TCP flow between two workers that competes with the training for part of a run.
struct Load {
  int from = 0;
  int to = 0;
  double start_s = 0;  ///< from the start of training
  double end_s = 0;
  std::optional<double> rate_mbit;  ///< at which it sends; none: as fast as TCP gets
};

/// Whether a topology's rates are those of its links between switches. The workers' own links then
/// have another rate, edge_mbit.
inline bool has_edge(const std::string& topology) {
  return topology == "chain3" || topology == "groups";
}

/// One profile of a network's links; every method runs over each profile. In a star, rates,
/// impairment and queues are those of the workers' links. In chain3 and groups they are those of
/// the links between switches, and in the other topologies those of all links. Each rate is one
/// way. "Up" is from a worker to its switch (star), towards the switch with the higher number
/// (chain3), or towards the core (groups).
struct LinkProfile {
  std::string name;
  double up_mbit = 0;  ///< 10^6 bit/s; with a schedule, its first step's
  double down_mbit = 0;
  netd::Impairment impairment = {};  ///< of each direction
  std::int64_t queue_kb = 0;         ///< 1024 bytes, of each direction; 0: see netd::queue_bytes()
  double edge_mbit = 10000;          ///< of workers' links in chain3 and groups
  std::vector<LinkOverride> overrides = {};
  RateSchedule schedule = {};  ///< of both directions
  std::vector<Load> loads = {};
  std::string topology = "star";  ///< the network's, unless the link has one of its own
  std::vector<int> groups = {};   ///< chain3, groups: workers of each switch, in rank order
  /// The links exist already, between the nodes of a cluster. Their rates are not declared but
  /// measured before the run, and are 0 until then.
  bool measured = false;
  std::vector<int> shape = {};  ///< of fat-tree, dragonfly and torus: see TopologyInfo

  bool is_unknown() const { return measured && up_mbit == 0; }
  double slower_mbit() const { return up_mbit < down_mbit ? up_mbit : down_mbit; }
  bool has_edge() const { return pacbench::has_edge(topology); }
};

struct Network {
  std::string topology = "star";
  std::vector<int> groups;
  std::vector<int> shape;
  int mtu = 1500;
  /// Names the bytes that a rate counts. l2: frames as tc counts them; wire: also checksum,
  /// preamble and gap.
  std::string rate_accounting = "l2";
  std::string congestion_control = "cubic";
  std::vector<LinkProfile> links;
};

/// The name of a topology and what it is, in one sentence.
struct TopologyInfo {
  const char* name;
  const char* summary;
  /// The meanings of the numbers of `shape`. Only topologies of mode simulate have a shape.
  std::vector<const char*> shape = {};
  std::size_t workers_from = 0;  ///< how many leading numbers multiply to the number of workers
};
const std::vector<TopologyInfo>& topologies();

/// Whether only mode simulate has the topology of that name.
bool is_simulated_only(const std::string& topology);

/// The number of workers on each switch of a chain3 whose scenario gives no groups: about a third
/// each, such as 3, 2 and 3 of 8.
std::vector<int> thirds(int workers);

/// Reads the network of a scenario that has `workers` workers; errors are reported through
/// `reader`. Files that the network names are relative to the folder of `source`.
Network read_network(ObjectReader reader, int workers, const std::string& source);

/// The canonical JSON: defaults are filled in, and keys are left out for what a link does not have.
Json to_json(const Network& network);

Json network_schema();

}  // namespace pacbench
