// Compares what the kernel holds with what was planned.
#include "netem/kernel/readback.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace pacbench::netem {
namespace {

// tc cuts bursts to whole microseconds, and the kernel keeps them in ticks of 64 ns.
constexpr double kRounding_s = 2e-6;
// netem keeps times in nanoseconds, or in ticks of 64 ns before Linux 4.15, and shares in 32 bits.
constexpr double kTimeRounding_ms = 100e-6;
constexpr double kShareRounding = 1e-9;

class Comparison {
 public:
  explicit Comparison(std::string who) : who_{std::move(who)} {}

  template <typename Found, typename Planned>
  void equal(const char* what, const Found& found, const Planned& planned) {
    if (found == planned) return;
    lines_.push_back(fmt::format("{}: {} is {}, but was set to {}", who_, what, found, planned));
  }

  void equal(const char* what, const std::string& found, const std::string& planned) {
    if (found == planned) return;
    lines_.push_back(
        fmt::format("{}: {} is \"{}\", but was set to \"{}\"", who_, what, found, planned));
  }

  template <typename Number>
  void near(const char* what, Number found, Number planned, double tolerance) {
    if (std::abs(static_cast<double>(found - planned)) <= tolerance) return;
    equal(what, found, planned);
  }

  void require(bool holds, const std::string& complaint) {
    if (!holds) lines_.push_back(fmt::format("{}: {}", who_, complaint));
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::string who_;
  std::vector<std::string> lines_;
};

const DeviceState* find_device(const Found& found, int place, const std::string& name) {
  const auto devices = found.find(place);
  if (devices == found.end()) return nullptr;
  const auto device = devices->second.find(name);
  return device == devices->second.end() ? nullptr : &device->second;
}

void compare_shape(Comparison& compare, const DeviceState& found, const LinkShape& planned) {
  compare.require(found.default_class == 1, "the root qdisc is not HTB with default class 1");
  compare.require(found.shape.has_value(), "no HTB class 1:1 with a bfifo leaf");
  if (!found.shape) return;
  const auto& is = *found.shape;
  const double rounding = 1 + kRounding_s * static_cast<double>(planned.rate_bytes_per_s);
  compare.equal("rate in bytes/s", is.rate_bytes_per_s, planned.rate_bytes_per_s);
  compare.equal("ceil in bytes/s", found.ceil_bytes_per_s, planned.rate_bytes_per_s);
  compare.near("burst in bytes", is.burst_bytes, planned.burst_bytes, rounding);
  compare.near("cburst in bytes", is.ceil_burst_bytes, planned.ceil_burst_bytes, rounding);
  compare.equal("quantum in bytes", is.quantum_bytes, planned.quantum_bytes);
  compare.equal("queue limit in bytes", is.queue_bytes, planned.queue_bytes);
}

void compare_netem(Comparison& compare, const NetemShape& found, const NetemShape& planned) {
  const auto& is = found.impairment;
  const auto& wanted = planned.impairment;
  compare.near("delay in ms", is.delay_ms, wanted.delay_ms, kTimeRounding_ms);
  compare.near("jitter in ms", is.jitter_ms, wanted.jitter_ms, kTimeRounding_ms);
  compare.near("loss", is.loss, wanted.loss, kShareRounding);
  compare.near("reordering", is.reorder, wanted.reorder, kShareRounding);
  compare.equal("netem's limit in packets", found.limit_packets, planned.limit_packets);
}

void compare_sender(Comparison& compare, const FabricPlan& plan, const PlannedDirection& direction,
                    const DeviceState& found) {
  compare.require(found.carrier, "the link is down");
  compare.equal("MTU", found.mtu, plan.mtu);
  compare_shape(compare, found, direction.shape);
  compare.equal("its bridge", found.bridge, direction.sender.bridge);
  if (direction.sender.place == Batch::kSwitch) {
    compare.require(found.forwarding || direction.sender.bridge.empty(),
                    "the port does not forward");
    return;
  }
  compare.equal("gso_max_size", found.gso_max_bytes, plan.gso_max_bytes);
  if (plan.single_packets) compare.equal("gso_max_segs", found.gso_max_segments, 1);
  compare.equal("congestion control locked on the route", found.congestion_control,
                plan.congestion_control);
  compare.equal("rto_min locked on the route", found.rto_min_ms, plan.rto_min_ms);
}

void compare_redirect(Comparison& compare, const DeviceState& found, const std::string& to) {
  compare.equal("its ingress qdisc", found.ingress, std::string{to.empty() ? "" : "ingress"});
  compare.equal("the device that its ingress is redirected to", found.redirect, to);
}

void compare_receiver(Comparison& compare, const PlannedDirection& direction,
                      const DeviceState& found, const DeviceState* ifb) {
  compare_redirect(compare, found, direction.redirected_to());
  if (!direction.netem) return;
  const bool has_netem = ifb != nullptr && ifb->netem.has_value();
  compare.require(has_netem, fmt::format("no netem on {}", direction.ifb()));
  if (!has_netem) return;
  compare.require(ifb->up, fmt::format("{} is down", direction.ifb()));
  compare_netem(compare, *ifb->netem, *direction.netem);
}

}  // namespace

std::vector<std::string> uplink_deviations(const FabricPlan& plan, const Found& found) {
  Comparison compare{plan.uplink->device};
  const auto* device = find_device(found, plan.uplink->place, plan.uplink->device);
  compare.require(device != nullptr, "there is no such device");
  if (device == nullptr) return compare.take();
  compare.require(device->carrier, "the link is down");
  compare.equal("MTU", device->mtu, plan.mtu);
  compare_redirect(compare, *device, plan.uplink->passes_to);
  return compare.take();
}

std::vector<std::string> deviations(const FabricPlan& plan, const PlannedDirection& direction,
                                    const Found& found) {
  Comparison compare{direction.name};
  const auto device = [&](const LinkEnd& end) {
    const auto* state = find_device(found, end.place, end.device);
    compare.require(state != nullptr, fmt::format("there is no device {}", end.device));
    return state;
  };
  if (const auto* sender = device(direction.sender)) {
    compare_sender(compare, plan, direction, *sender);
  }
  if (const auto* receiver = device(direction.receiver)) {
    const auto* ifb = find_device(found, direction.receiver.place, direction.ifb());
    compare_receiver(compare, direction, *receiver, ifb);
  }
  return compare.take();
}

}  // namespace pacbench::netem
