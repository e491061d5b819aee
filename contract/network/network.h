#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/fabric/fabric_spec.h"
#include "contract/network/link_facts.h"

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
  std::optional<double> rate_mbit;
};

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
  /// Whether the rates are those of links between switches. The workers' own links then have
  /// another rate, edge_mbit.
  bool has_edge() const { return topology == "chain3" || topology == "groups"; }
};

inline LinkFacts link_facts(const LinkProfile& link) {
  return {link.topology, link.slower_mbit(), link.groups};
}

/// Returns the impairment of a worker's link with an override. Values that the override lacks come
/// from `base`. In a star `base` is the profile's impairment; where the profile describes links
/// between switches, `base` has no impairment.
netd::Impairment overridden(const LinkOverride& entry, netd::Impairment base);

struct Network {
  std::string topology = "star";
  std::vector<int> groups;
  std::vector<int> shape;
  int mtu = 1500;
  std::string rate_accounting = "l2";
  std::string congestion_control = "cubic";
  std::vector<LinkProfile> links;
};

// The keys of a network, for reader, writer and schema. These tables lack keys with code of their
// own: rates, topology, groups, shape, schedule, overrides and links.

namespace link_bounds {
inline constexpr Range kRateMbit{kLeastLinkMbit, kMostLinkMbit};
inline constexpr Range kTimeS{0.0, kMostScheduleS};
// TCP cannot use a network that loses or reorders more than half of the packets.
inline constexpr Range kShare{0.0, 0.5};
inline constexpr Range kQueueKb{1.0, 1e6};
inline constexpr Range kWorker{0.0, 1023.0};
}  // namespace link_bounds

/// The keys for delay, jitter, loss and reordering, which links and overrides have in common.
/// `Class` has these members, optional or not.
template <typename Class>
constexpr auto packet_keys() {
  using namespace link_bounds;
  return std::tuple{
      sparse("delay_ms", &Class::delay_ms, kDelayBoundsMs,
             "one-way delay of each packet on each link that has this delay"),
      sparse("jitter_ms", &Class::jitter_ms, kDelayBoundsMs,
             "the delay is uniform within delay_ms ± jitter_ms"),
      sparse("loss", &Class::loss, kShare, "share of packets lost, one way, independently"),
      sparse("reorder", &Class::reorder, kShare,
             "share of packets that are not delayed and so overtake others")};
}
template <typename Class>
constexpr auto queue_key() {
  return sparse("queue_kb", &Class::queue_kb, link_bounds::kQueueKb,
                "length of the queue in front of each direction, in units of 1024 bytes; by "
                "default what rate and flows need, at least 256");
}

template <>
struct JsonFields<LinkOverride> {
  using T = LinkOverride;
  static constexpr auto kAll =
      std::tuple_cat(std::tuple{required("worker", &T::worker, link_bounds::kWorker)},
                     packet_keys<T>(), std::tuple{queue_key<T>()});
};

template <>
struct JsonFields<Load> {
  using T = Load;
  static constexpr std::tuple kAll{
      required("from", &T::from, link_bounds::kWorker),
      required("to", &T::to, link_bounds::kWorker),
      required("start_s", &T::start_s, link_bounds::kTimeS, "seconds from the start of training"),
      required("end_s", &T::end_s, link_bounds::kTimeS),
      sparse("rate_mbit", &T::rate_mbit, link_bounds::kRateMbit,
             "rate of the flow's payload; by default as fast as TCP allows")};

  static void check(ObjectReader& reader, const T& load) {
    if (load.from == load.to) {
      reader.complain("to",
                      fmt::format("found {}, which is also the sender; expected another worker, "
                                  "since what a worker sends to itself crosses no link",
                                  load.to));
    }
    if (load.end_s <= load.start_s) {
      reader.complain("end_s", fmt::format("found {}, expected more than start_s, {}", load.end_s,
                                           load.start_s));
    }
  }
};

template <>
struct JsonFields<RateSchedule::Step> {
  using T = RateSchedule::Step;
  static constexpr std::tuple kAll{
      required("at_s", &T::at_s, link_bounds::kTimeS,
               "seconds from the start of training; ascending, the first at 0"),
      required("rate_mbit", &T::rate_mbit, link_bounds::kRateMbit)};
};

template <>
struct JsonFields<RateSchedule> {
  using T = RateSchedule;
  static constexpr std::tuple kAll{
      required("steps", &T::steps, Bounds{}.with_entries(1)),
      sparse("repeat_s", &T::repeat_s, link_bounds::kTimeS,
             "seconds from the first step until the steps begin again; 0: never")};
};

template <>
struct JsonFields<LinkProfile> {
  using T = LinkProfile;
  static constexpr auto kPackets =
      std::apply([](const auto&... keys) { return std::tuple{of_part(&T::impairment, keys)...}; },
                 packet_keys<netd::Impairment>());
  static constexpr auto kAll = std::tuple_cat(
      std::tuple{required("name", &T::name, Bounds::folder_name())}, kPackets,
      std::tuple{queue_key<T>(),
                 defaulted("edge_mbit", &T::edge_mbit, link_bounds::kRateMbit,
                           "chain3, groups: rate of the workers' links"),
                 sparse("load", &T::loads, {}, "TCP flows that compete with the training"),
                 sparse("measured", &T::measured, {},
                        "true: the links between the nodes of a cluster are used as they are, and "
                        "their rates are measured before the run")});
};

template <>
struct JsonFields<Network> {
  using T = Network;
  static constexpr std::array kAccounting{"l2", "wire"};
  static constexpr std::array kControls{"cubic", "reno", "bbr"};
  static constexpr std::tuple kAll{
      defaulted("mtu", &T::mtu, kMtuBounds),
      defaulted("rate_accounting", &T::rate_accounting, kAccounting,
                "which bytes a rate counts; l2: frames as tc sees them; wire: also each frame's "
                "checksum, preamble and gap"),
      defaulted("congestion_control", &T::congestion_control, kControls)};
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
