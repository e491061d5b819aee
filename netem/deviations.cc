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

  void near(const char* what, std::int64_t found, std::int64_t planned, double tolerance) {
    if (std::abs(static_cast<double>(found - planned)) <= tolerance) return;
    equal(what, found, planned);
  }

  void require(bool holds, const char* complaint) {
    if (!holds) lines_.push_back(fmt::format("{}: {}", who_, complaint));
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::string who_;
  std::vector<std::string> lines_;
};

void compare_end(Comparison& compare, const DeviceState& found, const FabricPlan& plan) {
  compare.require(found.carrier, "the link is down");
  compare.equal("MTU", found.mtu, plan.mtu);
  compare.require(found.default_class == 1, "the root qdisc is not HTB with default class 1");
  compare.require(found.shape.has_value(), "no HTB class 1:1 with a bfifo leaf");
  if (!found.shape) return;
  const auto& is = *found.shape;
  const auto& planned = plan.shape;
  const double rounding = 1 + kRounding_s * static_cast<double>(planned.rate_bytes_per_s);
  compare.equal("rate in bytes/s", is.rate_bytes_per_s, planned.rate_bytes_per_s);
  compare.equal("ceil in bytes/s", found.ceil_bytes_per_s, planned.rate_bytes_per_s);
  compare.near("burst in bytes", is.burst_bytes, planned.burst_bytes, rounding);
  compare.near("cburst in bytes", is.ceil_burst_bytes, planned.ceil_burst_bytes, rounding);
  compare.equal("quantum in bytes", is.quantum_bytes, planned.quantum_bytes);
  compare.equal("queue limit in bytes", is.queue_bytes, planned.queue_bytes);
}

}  // namespace

std::vector<std::string> port_deviations(const std::string& who, const DeviceState& found,
                                         const FabricPlan& plan) {
  Comparison compare{who};
  compare_end(compare, found, plan);
  compare.require(found.forwarding, "it is not a forwarding port of the bridge");
  return compare.take();
}

std::vector<std::string> worker_deviations(const std::string& who, const DeviceState& found,
                                           const FabricPlan& plan) {
  Comparison compare{who};
  compare_end(compare, found, plan);
  compare.equal("gso_max_size", found.gso_max_bytes, plan.gso_max_bytes);
  compare.equal("congestion control locked on the route", found.congestion_control,
                plan.congestion_control);
  return compare.take();
}

}  // namespace pacbench
