#include "netem/plan/fabric_plan.h"

#include <fmt/format.h>

#include <stdexcept>

#include "contract/fabric/queue_length.h"
#include "netem/plan/neighbours.h"
#include "netem/plan/tc_commands.h"

namespace pacbench::netem {
namespace {

constexpr const char* kSubnet = "10.77.0.0/16";

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

std::string bridge_device(int bridge) { return fmt::format("br{}", bridge); }

LinkEnd worker_end(int worker) { return {worker, kWorkerDevice, {}}; }

LinkEnd port(const netd::CreateRequest& request, int worker) {
  const auto& link = request.workers.at(static_cast<std::size_t>(worker));
  return {Batch::kSwitch, fmt::format("port{}", worker), bridge_device(link.attached_to)};
}

/// `side` is 'a' or 'b', the ends of netd::Trunk.
LinkEnd trunk_end(const netd::CreateRequest& request, int trunk, char side) {
  const auto& link = request.trunks.at(static_cast<std::size_t>(trunk));
  return {Batch::kSwitch, fmt::format("trunk{}{}", trunk, side),
          bridge_device(side == 'a' ? link.a : link.b)};
}

std::vector<PlannedDirection> directions(const netd::CreateRequest& request) {
  std::vector<PlannedDirection> planned;
  const auto add = [&](const std::string& name, const LinkEnd& sender, const LinkEnd& receiver) {
    const auto& direction = *netd::find_direction(request, name);
    const auto queue_bytes = netd::queue_bytes(request, name);
    const auto shaper = netd::shaper_of(request, name);
    planned.push_back({name, sender, receiver, shaper,
                       LinkShape::for_rate(direction.rate_mbit, shaper, queue_bytes),
                       NetemShape::for_direction(direction, request.mtu)});
  };
  for (int worker = 0; worker < static_cast<int>(request.workers.size()); ++worker) {
    add(netd::up_name(worker), worker_end(worker), port(request, worker));
    add(netd::down_name(worker), port(request, worker), worker_end(worker));
  }
  for (int trunk = 0; trunk < static_cast<int>(request.trunks.size()); ++trunk) {
    const auto a = trunk_end(request, trunk, 'a');
    const auto b = trunk_end(request, trunk, 'b');
    add(netd::forward_name(trunk), a, b);
    add(netd::backward_name(trunk), b, a);
  }
  return planned;
}

/// Makes the bridges, every link (a veth pair) and the ifb devices. Brings up those in the
/// switches' namespace; worker_devices() brings up the others.
Batch switch_devices(const netd::CreateRequest& request, const FabricPlan& plan,
                     const std::vector<std::string>& namespaces) {
  Batch batch{Batch::kSwitch, "ip", {"link set dev lo up"}};
  auto& lines = batch.lines;
  // IPv6 and multicast would put packets on the links that no worker sent.
  for (int bridge = 0; bridge < request.switches; ++bridge) {
    lines.push_back(
        fmt::format("link add {} mtu {} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                    bridge_device(bridge), plan.mtu));
    lines.push_back(fmt::format("link set dev {} addrgenmode none up", bridge_device(bridge)));
  }
  const auto raise = [&](const LinkEnd& end) {
    lines.push_back(
        fmt::format("link set dev {} addrgenmode none master {} up", end.device, end.bridge));
  };
  // Two directions make a link.
  for (std::size_t i = 0; i < plan.directions.size(); i += 2) {
    const auto& sender = plan.directions[i].sender;
    const auto& receiver = plan.directions[i].receiver;
    const bool of_worker = sender.place != Batch::kSwitch;
    const auto& near = of_worker ? receiver : sender;
    const auto& far = of_worker ? sender : receiver;
    const auto inside =
        of_worker ? fmt::format(" address {} netns {}", hardware_address(kLinks, far.place),
                                namespaces.at(static_cast<std::size_t>(far.place)))
                  : std::string{};
    lines.push_back(fmt::format("link add {} mtu {} type veth peer name {} mtu {}{}", near.device,
                                plan.mtu, far.device, plan.mtu, inside));
    raise(near);
    if (!of_worker) raise(far);
  }
  for (const auto& direction : plan.directions) {
    if (!direction.netem) continue;
    const int place = direction.receiver.place;
    if (place == Batch::kSwitch) {
      lines.push_back(fmt::format("link add {} type ifb", direction.ifb()));
      lines.push_back(fmt::format("link set dev {} addrgenmode none up", direction.ifb()));
    } else {
      lines.push_back(fmt::format("link add {} netns {} type ifb", direction.ifb(),
                                  namespaces.at(static_cast<std::size_t>(place))));
    }
  }
  return batch;
}

/// Adds the control network: a bridge with an unshaped device in each worker's namespace.
void add_control_network(std::vector<Batch>& batches, const FabricPlan& plan,
                         const std::vector<std::string>& namespaces) {
  Batch devices{Batch::kSwitch,
                "ip",
                {"link add control type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                 "link set dev control addrgenmode none up"}};
  for (int worker = 0; worker < plan.workers; ++worker) {
    devices.lines.push_back(fmt::format(
        "link add control{} type veth peer name {} address {} netns {}", worker, kControlDevice,
        hardware_address(kControl, worker), namespaces.at(static_cast<std::size_t>(worker))));
    devices.lines.push_back(
        fmt::format("link set dev control{} addrgenmode none master control up", worker));
  }
  batches.push_back(std::move(devices));
  for (int worker = 0; worker < plan.workers; ++worker) {
    batches.push_back(
        {worker,
         "ip",
         {fmt::format("link set dev {} addrgenmode none up", kControlDevice),
          fmt::format("address add {}/16 dev {}", netd::control_address(worker), kControlDevice),
          no_probes(kControl)}});
    add_neighbours(kControl, plan.workers, worker, batches);
  }
}

Batch worker_devices(const FabricPlan& plan, int worker) {
  const auto address = netd::worker_address(worker);
  Batch batch{worker, "ip", {"link set dev lo up"}};
  for (const auto& direction : plan.directions) {
    if (!direction.netem || direction.receiver.place != worker) continue;
    batch.lines.push_back(fmt::format("link set dev {} addrgenmode none up", direction.ifb()));
  }
  append(batch.lines,
         {fmt::format("link set dev {} gso_max_size {}{} addrgenmode none up", kWorkerDevice,
                      plan.gso_max_bytes, plan.single_packets ? " gso_max_segs 1" : ""),
          fmt::format("address add {}/16 dev {} noprefixroute", address, kWorkerDevice),
          fmt::format("route add {} dev {} src {} congctl lock {}", kSubnet, kWorkerDevice, address,
                      plan.congestion_control),
          no_probes(kLinks)});
  return batch;
}

/// Everything that tc does in one namespace.
Batch traffic_control(const FabricPlan& plan, int place) {
  Batch batch{place, "tc", {}};
  for (const auto& direction : plan.directions) {
    if (direction.sender.place == place) {
      append(batch.lines, shaping_lines(direction.sender.device, direction.shape));
    }
    if (direction.netem && direction.receiver.place == place) {
      append(batch.lines,
             netem_lines(direction.receiver.device, direction.ifb(), *direction.netem));
    }
  }
  return batch;
}

}  // namespace

LinkShape PlannedDirection::shape_at(double rate_mbit) const {
  return LinkShape::for_rate(rate_mbit, shaper, shape.queue_bytes);
}

void PlannedDirection::require_room(double rate_mbit, int mtu) const {
  if (!netem) return;
  const auto needed = packets_in_flight(rate_mbit, netem->impairment, mtu);
  if (needed <= netem->limit_packets) return;
  throw std::runtime_error{
      fmt::format("{} has room for {} packets in flight, but {} Mbit/s needs {}; declare the "
                  "schedule's highest rate as this direction's most_rate_mbit",
                  name, netem->limit_packets, rate_mbit, needed)};
}

FabricPlan fabric_plan(const netd::CreateRequest& request,
                       const std::vector<std::string>& namespaces) {
  FabricPlan plan;
  plan.workers = static_cast<int>(request.workers.size());
  plan.mtu = request.mtu;
  plan.gso_max_bytes = netd::gso_max_bytes(request);
  plan.single_packets = netd::needs_single_packets(request);
  plan.congestion_control = request.congestion_control;
  plan.sysctls = tcp_buffers(request);
  plan.directions = directions(request);
  plan.batches.push_back(switch_devices(request, plan, namespaces));
  plan.batches.push_back(traffic_control(plan, Batch::kSwitch));
  for (int worker = 0; worker < plan.workers; ++worker) {
    plan.batches.push_back(traffic_control(plan, worker));
    plan.batches.push_back(worker_devices(plan, worker));
    add_neighbours(kLinks, plan.workers, worker, plan.batches);
  }
  plan.control_network = request.control_network;
  if (plan.control_network) add_control_network(plan.batches, plan, namespaces);
  return plan;
}

std::int64_t queued_bytes(const netd::CreateRequest& request) {
  std::int64_t bytes = 0;
  for (const auto& direction : directions(request)) {
    bytes += direction.shape.queue_bytes;
    if (direction.netem) bytes += bytes_in_flight(*direction.netem, request.mtu);
  }
  return bytes;
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
    if (place == Batch::kSwitch) continue;
    for (const auto& [name, value] : plan.sysctls) {
      commands.push_back(
          fmt::format("ip netns exec {} sysctl -qw {}='{}'", name_of(place), name, value));
    }
  }
  for (const auto& batch : plan.batches) {
    if (!batch.typed.empty()) {
      commands.push_back(
          fmt::format("ip netns exec {} sh -c '{}'", name_of(batch.place), batch.typed));
      continue;
    }
    for (const auto& line : batch.lines) {
      commands.push_back(fmt::format("{} -n {} {}", batch.program, name_of(batch.place), line));
    }
  }
  if (plan.steering_cpus.empty()) return commands;
  for (int place = Batch::kSwitch; place < plan.workers; ++place) {
    commands.push_back(fmt::format(
        "ip netns exec {} sh -c 'for queue in /sys/class/net/*/queues/rx-*/rps_cpus; do echo {} "
        ">$queue; done'",
        name_of(place), plan.steering_cpus));
  }
  return commands;
}

}  // namespace pacbench::netem
