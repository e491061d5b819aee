#include "netem/fabric_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pacbench {
namespace {

// Small bursts keep short messages honest, and 15k with a ceiling burst of one frame is as good
// on rings as anything measured. tc keeps both in whole microseconds, so at rates far beyond a
// gigabit they grow to ten of those rather than be rounded away.
constexpr double kBurstBytes = 15 * 1024;
constexpr double kCeilBurstBytes = 1600;
constexpr double kLeastBurst_s = 10e-6;
constexpr std::int64_t kQuantumBytes = 60000;  // else r2q derives one that the kernel calls big
// A queue shorter than what a few flows send at once drops whole GSO packets; a longer one lets
// acknowledgements wait behind the data that goes the other way.
constexpr double kLeastQueueBytes = 256 * 1024;
constexpr double kQueue_s = 15e-3;
// HTB lets a class borrow a whole GSO packet, so large ones pass a short message for nothing.
constexpr std::int64_t kGsoMaxBytes = 16384;
constexpr std::int64_t kGsoLimitBytes = 65536;
constexpr const char* kSubnet = "10.77.0.0/16";
constexpr const char* kBridge = "br0";

Batch switch_devices(const FabricPlan& plan, const std::vector<std::string>& namespaces) {
  Batch batch{Batch::kSwitch, "ip", {}};
  // IPv6 and multicast would put packets on the links that no worker sent.
  batch.lines = {"link set dev lo up",
                 fmt::format("link add {} mtu {} type bridge stp_state 0 forward_delay 0 "
                             "mcast_snooping 0",
                             kBridge, plan.mtu),
                 fmt::format("link set dev {} addrgenmode none up", kBridge)};
  for (int worker = 0; worker < plan.workers; ++worker) {
    batch.lines.push_back(fmt::format("link add {} mtu {} type veth peer name {} mtu {} netns {}",
                                      port_device(worker), plan.mtu, kWorkerDevice, plan.mtu,
                                      namespaces.at(static_cast<std::size_t>(worker))));
    batch.lines.push_back(
        fmt::format("link set dev {} addrgenmode none master {} up", port_device(worker), kBridge));
  }
  return batch;
}

Batch worker_devices(const FabricPlan& plan, int worker) {
  const auto address = worker_address(worker);
  return {worker,
          "ip",
          {"link set dev lo up",
           fmt::format("link set dev {} gso_max_size {} addrgenmode none up", kWorkerDevice,
                       plan.gso_max_bytes),
           fmt::format("address add {}/16 dev {} noprefixroute", address, kWorkerDevice),
           fmt::format("route add {} dev {} src {} congctl lock {}", kSubnet, kWorkerDevice,
                       address, plan.congestion_control)}};
}

void shape(Batch& batch, const std::string& device, const LinkShape& shape) {
  batch.lines.push_back(fmt::format("qdisc add dev {} root handle 1: htb default 1", device));
  batch.lines.push_back(fmt::format(
      "class add dev {} parent 1: classid 1:1 htb rate {}bit ceil {}bit burst {}b cburst {}b "
      "quantum {}",
      device, 8 * shape.rate_bytes_per_s, 8 * shape.rate_bytes_per_s, shape.burst_bytes,
      shape.ceil_burst_bytes, shape.quantum_bytes));
  batch.lines.push_back(fmt::format("qdisc add dev {} parent 1:1 handle 10: bfifo limit {}b",
                                    device, shape.queue_bytes));
}

}  // namespace

LinkShape LinkShape::for_rate(double rate_mbit) {
  const double rate = std::round(rate_mbit * 1e6 / 8);
  const auto bytes = [](double value) { return static_cast<std::int64_t>(std::llround(value)); };
  return {.rate_bytes_per_s = bytes(rate),
          .burst_bytes = bytes(std::max(kBurstBytes, rate * kLeastBurst_s)),
          .ceil_burst_bytes = bytes(std::max(kCeilBurstBytes, rate * kLeastBurst_s)),
          .quantum_bytes = kQuantumBytes,
          .queue_bytes = bytes(std::max(kLeastQueueBytes, rate * kQueue_s))};
}

FabricPlan fabric_plan(const netd::CreateRequest& request,
                       const std::vector<std::string>& namespaces) {
  FabricPlan plan;
  plan.shape = LinkShape::for_rate(request.workers.front().up.rate_mbit);
  plan.mtu = request.mtu;
  plan.gso_max_bytes = std::clamp<std::int64_t>(2 * request.mtu, kGsoMaxBytes, kGsoLimitBytes);
  plan.congestion_control = request.congestion_control;
  plan.workers = static_cast<int>(request.workers.size());
  plan.batches.push_back(switch_devices(plan, namespaces));
  Batch ports{Batch::kSwitch, "tc", {}};
  for (int worker = 0; worker < plan.workers; ++worker) {
    shape(ports, port_device(worker), plan.shape);
  }
  plan.batches.push_back(ports);
  for (int worker = 0; worker < plan.workers; ++worker) {
    Batch end{worker, "tc", {}};
    shape(end, kWorkerDevice, plan.shape);
    plan.batches.push_back(end);
    plan.batches.push_back(worker_devices(plan, worker));
  }
  return plan;
}

std::vector<std::string> namespace_names(int workers) {
  std::vector<std::string> names;
  for (int worker = 0; worker < workers; ++worker) names.push_back(fmt::format("worker{}", worker));
  return names;
}

std::vector<std::string> typed_commands(const FabricPlan& plan) {
  const auto names = namespace_names(plan.workers);
  const auto name_of = [&](int place) {
    return place == Batch::kSwitch ? std::string{"switch"}
                                   : names.at(static_cast<std::size_t>(place));
  };
  std::vector<std::string> commands;
  for (int place = Batch::kSwitch; place < plan.workers; ++place) {
    commands.push_back("ip netns add " + name_of(place));
    commands.push_back(fmt::format(
        "ip netns exec {} sysctl -qw net.ipv6.conf.default.disable_ipv6=1", name_of(place)));
  }
  for (const auto& batch : plan.batches) {
    for (const auto& line : batch.lines) {
      commands.push_back(fmt::format("{} -n {} {}", batch.program, name_of(batch.place), line));
    }
  }
  return commands;
}

std::string port_device(int worker) { return fmt::format("port{}", worker); }

std::string worker_address(int worker) { return fmt::format("10.77.0.{}", worker + 1); }

}  // namespace pacbench
