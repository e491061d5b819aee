#pragma once

#include "base/json/checked_keys.h"
#include "base/json/json_reader.h"
#include "contract/fabric/bounds.h"
#include "contract/fabric/fabric_spec.h"

namespace pacbench::netd {

inline constexpr Range kSwitch{0.0, CreateRequest::kMaxSwitches - 1.0};

}  // namespace pacbench::netd

namespace pacbench {

template <>
struct JsonFields<netd::Impairment> {
  using T = netd::Impairment;
  static constexpr Range kShare{0.0, 1.0};
  static constexpr std::tuple kAll{required("delay_ms", &T::delay_ms, kDelayBoundsMs),
                                   required("jitter_ms", &T::jitter_ms, kDelayBoundsMs),
                                   required("loss", &T::loss, kShare),
                                   required("reorder", &T::reorder, kShare)};
};

template <>
struct JsonFields<netd::Direction> {
  using T = netd::Direction;
  static constexpr std::tuple kAll{
      required("rate_mbit", &T::rate_mbit, Range{kLeastShapedMbit, kMostLinkMbit}),
      required("queue_bytes", &T::queue_bytes, Range{0.0, 1e9}),
      required("impairment", &T::impairment),
      sparse("most_rate_mbit", &T::most_rate_mbit, Range{0.0, kMostLinkMbit})};
};

template <>
struct JsonFields<netd::Shaper> {
  using T = netd::Shaper;
  static constexpr Range kBurst{1.0, 1e8};
  static constexpr std::tuple kAll{
      required("burst_bytes", &T::burst_bytes, kBurst),
      required("ceil_burst_bytes", &T::ceil_burst_bytes, kBurst),
      required("gso_max_bytes", &T::gso_max_bytes, Range{1.0, 65536.0})};
};

template <>
struct JsonFields<netd::WorkerLink> {
  using T = netd::WorkerLink;
  static constexpr std::tuple kAll{required("attached_to", &T::attached_to, netd::kSwitch),
                                   required("up", &T::up), required("down", &T::down)};
};

template <>
struct JsonFields<netd::Trunk> {
  using T = netd::Trunk;
  static constexpr std::tuple kAll{
      required("a", &T::a, netd::kSwitch), required("b", &T::b, netd::kSwitch),
      required("forward", &T::forward), required("backward", &T::backward)};
};

template <>
struct JsonFields<netd::Uplink> {
  using T = netd::Uplink;
  static constexpr std::tuple kAll{
      required("worker", &T::worker, Range{0.0, netd::CreateRequest::kMaxWorkers - 1.0}),
      required("interface", &T::interface), required("control_interface", &T::control_interface),
      required("fabric", &T::fabric, Range{0.0, 65535.0})};
};

template <>
struct JsonFields<netd::CreateRequest> {
  using T = netd::CreateRequest;
  static constexpr std::array kControls{"cubic", "reno", "bbr"};
  static constexpr std::tuple kAll{
      required("workers", &T::workers),
      required("switches", &T::switches, Range{1.0, T::kMaxSwitches}),
      required("trunks", &T::trunks),
      required("mtu", &T::mtu, kMtuBounds),
      required("congestion_control", &T::congestion_control, kControls),
      sparse("rto_min_ms", &T::rto_min_ms, Range{0.0, 60'000.0}),
      required("shaper", &T::shaper),
      sparse("control_network", &T::control_network),
      sparse("measured", &T::measured),
      sparse("uplink", &T::uplink)};
};

}  // namespace pacbench

namespace pacbench::netd {

Json fabric_to_json(const CreateRequest& request);

/// Reads a create request except for its type and version. Complains of errors, such as trunks that
/// make no tree, but not of those that contradictions() finds.
CreateRequest read_fabric(ObjectReader& reader);

/// The contradictions between values of a request that are each within bounds: queues too short for
/// their flows, bursts too long for the kernel, jitter above the delay, and reordering without
/// delay.
std::vector<Issue> contradictions(const CreateRequest& request);

}  // namespace pacbench::netd
