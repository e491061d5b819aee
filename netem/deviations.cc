// Compares what the kernel holds with what was planned.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "netem/readback.h"

namespace pacbench {
namespace {

// tc cuts bursts to whole microseconds, and the kernel keeps them in ticks of 64 ns.
constexpr double kRounding_s = 2e-6;

class Comparison {
 public:
  explicit Comparison(std::string who) : who_{std::move(who)} {}

  template <typename Found, typename Planned>
  void equal(const char* what, const Found& found, const Planned& planned) {
    if (found == planned) return;
    lines_.push_back(fmt::format("{}: {} is {}, {} was set", who_, what, found, planned));
  }

  void equal(const char* what, const std::string& found, const std::string& planned) {
    if (found == planned) return;
    lines_.push_back(fmt::format("{}: {} is \"{}\", \"{}\" was set", who_, what, found, planned));
  }

  void near(const char* what, std::int64_t found, std::int64_t planned, double tolerance) {
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

}  // namespace

std::vector<std::string> deviations(const FabricPlan& plan, const PlannedDirection& direction,
                                    const Found& found) {
  Comparison compare{direction.name};
  const auto& sender = direction.sender;
  const auto* device = find_device(found, sender.place, sender.device);
  if (device == nullptr) {
    compare.require(false, fmt::format("there is no device {}", sender.device));
    return compare.take();
  }
  const auto& state = *device;
  compare.require(state.carrier, "the link is down");
  compare.equal("MTU", state.mtu, plan.mtu);
  compare_shape(compare, state, direction.shape);
  compare.equal("the bridge that it is a port of", state.bridge, sender.bridge);
  if (sender.place == Batch::kSwitch) {
    compare.require(state.forwarding, "the port does not forward");
  } else {
    compare.equal("gso_max_size", state.gso_max_bytes, plan.gso_max_bytes);
    compare.equal("congestion control locked on the route", state.congestion_control,
                  plan.congestion_control);
  }
  return compare.take();
}

}  // namespace pacbench
