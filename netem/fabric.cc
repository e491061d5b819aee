#include "netem/fabric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "netem/iproute2.h"
#include "netem/readback.h"

namespace pacbench {
namespace {

using netd::down_name;
using netd::up_name;

// The kernel raises a port's carrier from a work queue, as a rule within a millisecond.
constexpr std::chrono::milliseconds kCarrierPoll{1};
constexpr std::chrono::seconds kCarrierTimeout{3};

netd::ShapedLink as_reported(std::string name, std::string device, const LinkShape& shape) {
  return {std::move(name),
          std::move(device),
          shape.rate_bytes_per_s,
          shape.burst_bytes,
          shape.ceil_burst_bytes,
          shape.quantum_bytes,
          shape.queue_bytes,
          {},
          0};
}

/// For devices yet to come in the calling thread's namespace, so that no neighbour discovery or
/// multicast report is counted on a link. Where /proc/sys is read-only, as in some containers,
/// `addrgenmode none` leaves a few packets at the start; a kernel without IPv6 needs neither.
void switch_off_ipv6() { std::ofstream{"/proc/sys/net/ipv6/conf/default/disable_ipv6"} << '1'; }

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

Fabric::Fabric(const netd::CreateRequest& request) : directions_{direction_names(request)} {
  switch_off_ipv6();
  for (int slot = 0; slot < static_cast<int>(request.workers.size()); ++slot) {
    workers_.push_back(NetNamespace::create());
    const auto inside = worker(slot).enter();
    switch_off_ipv6();
  }
  set_up(request);
  wait_for_carrier();
  const auto deviations = read_back(&links_);
  if (!deviations.empty()) {
    throw std::runtime_error{
        fmt::format("the kernel does not hold what was set:\n{}", fmt::join(deviations, "\n"))};
  }
  start_counting();
}

void Fabric::set_up(const netd::CreateRequest& request) {
  std::vector<NamespacePath> handles;
  std::vector<std::string> paths;
  for (const auto& worker : workers_) {
    handles.emplace_back(worker);
    paths.push_back(handles.back().path());
  }
  plan_ = fabric_plan(request, paths);
  for (const auto& batch : plan_.batches) {
    if (batch.place == Batch::kSwitch) {
      run_batch(batch);
      continue;
    }
    const auto inside = worker(batch.place).enter();
    run_batch(batch);
  }
  // From here on the plan is for people, who cannot follow our descriptors.
  plan_ = fabric_plan(request, namespace_names(plan_.workers));
}

void Fabric::wait_for_carrier() const {
  const auto deadline = std::chrono::steady_clock::now() + kCarrierTimeout;
  for (int slot = 0; slot < workers(); ++slot) {
    for (auto port = read_device(port_device(slot)); !port.carrier || !port.forwarding;
         port = read_device(port_device(slot))) {
      if (std::chrono::steady_clock::now() > deadline) return;  // read_back will say what is wrong
      std::this_thread::sleep_for(kCarrierPoll);
    }
  }
}

std::vector<std::string> Fabric::read_back(std::vector<netd::ShapedLink>* links) const {
  std::vector<std::string> deviations;
  const auto note = [&](const std::string& name, const char* device, const DeviceState& state) {
    if (links != nullptr && state.shape) {
      links->push_back(as_reported(name, device, *state.shape));
    }
  };
  for (int slot = 0; slot < workers(); ++slot) {
    DeviceState end;
    {
      const auto inside = worker(slot).enter();
      end = read_device(kWorkerDevice);
    }
    const auto device = port_device(slot);
    const auto port = read_device(device);
    note(up_name(slot), kWorkerDevice, end);
    note(down_name(slot), device.c_str(), port);
    append(deviations, worker_deviations(up_name(slot), end, planned_now(ends_, slot)));
    append(deviations, port_deviations(down_name(slot), port, planned_now(ports_, slot)));
  }
  return deviations;
}

/// The plan with the rate that a direction has come to.
FabricPlan Fabric::planned_now(const std::vector<Direction>& directions, int slot) const {
  auto plan = plan_;
  if (!directions.empty()) plan.shape = directions.at(index(slot)).shape;
  return plan;
}

Fabric::Direction& Fabric::direction(const std::string& name) {
  for (auto* directions : {&ends_, &ports_}) {
    for (auto& direction : *directions) {
      if (direction.name == name) return direction;
    }
  }
  throw std::runtime_error{fmt::format("\"{}\" is no direction of this fabric", name)};
}

void Fabric::set_rate(const std::string& name, double rate_mbit) {
  auto& target = direction(name);
  auto shape = LinkShape::for_rate(rate_mbit);
  shape.queue_bytes = target.shape.queue_bytes;
  target.htb_class.change(shape);
  target.shape = shape;
}

void Fabric::start_counting() {
  for (int slot = 0; slot < workers(); ++slot) {
    const int port = read_device(port_device(slot)).index;
    ports_.push_back({down_name(slot), port, TrafficCounters{port}, HtbClass{port}, plan_.shape});
    const auto inside = worker(slot).enter();
    const int end = read_device(kWorkerDevice).index;
    ends_.push_back({up_name(slot), end, TrafficCounters{end}, HtbClass{end}, plan_.shape});
  }
}

netd::CountersReply Fabric::counters() {
  netd::CountersReply reply;
  const auto count = [&](Direction& direction) {
    try {
      const auto traffic = direction.counters.read();
      reply.links.push_back(
          {direction.name, traffic.bytes, traffic.packets, traffic.dropped_packets});
    } catch (const std::system_error& error) {
      reply.deviations.push_back(fmt::format("{}: {}", direction.name, error.what()));
    }
  };
  for (int slot = 0; slot < workers(); ++slot) {
    count(ends_.at(index(slot)));
    count(ports_.at(index(slot)));
  }
  try {
    append(reply.deviations, read_back(nullptr));
  } catch (const std::system_error& error) {
    reply.deviations.push_back(fmt::format("cannot be read back: {}", error.what()));
  }
  return reply;
}

}  // namespace pacbench
