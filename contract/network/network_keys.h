#pragma once

#include <fmt/format.h>

#include <array>

#include "base/json/checked_keys.h"
#include "contract/network/network.h"

/// The keys of a network, for reader, writer and schema. A link's rates are read in link_reader.cc.
/// Other keys with code of their own, which these tables lack: rates of overrides, topology,
/// groups, shape, schedule, overrides and links.
namespace pacbench {

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

}  // namespace pacbench
