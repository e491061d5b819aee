#include "netem/plan/fabric_plan.h"

#include <fmt/format.h>

#include <stdexcept>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netem {
namespace {

constexpr const char* kSubnet = "10.77.0.0/16";

/// A network on which each worker has a device. The last byte of the device's IPv4 address and of
/// its hardware address is the worker's number plus one.
struct WorkerNetwork {
  std::string device;
  std::string addresses;  ///< the bytes before the last one, "10.77.0."
  std::string hardware;   ///< the bytes before the last one; the first marks an address as locally
                          ///< administered
};

std::string hex(int number) { return fmt::format("{:02x}", number); }

/// `number` is the last byte of the IPv4 address, `last` that of the hardware address.
std::string entry(const WorkerNetwork& network, const std::string& number,
                  const std::string& last) {
  return fmt::format("neigh add {}{} lladdr {}{} dev {} nud permanent", network.addresses, number,
                     network.hardware, last, network.device);
}

/// `letter` is the byte that tells the two networks of a fabric apart. Two bits of the first byte
/// say that the address is locally administered and belongs to a single device.
std::string hardware_prefix(const netd::CreateRequest& request, char letter) {
  constexpr int kAlone = 0x0a;  // of fabrics without an uplink, whose addresses nobody else sees
  if (!request.uplink) return fmt::format("02:00:{}:{}:00:", hex(kAlone), hex(letter));
  const auto& uplink = *request.uplink;
  return fmt::format("{}:{}:{}:{}:{}:", hex(0x02 | (uplink.owner >> 8) << 2),
                     hex(uplink.fabric >> 8), hex(uplink.owner & 0xff), hex(letter),
                     hex(uplink.fabric & 0xff));
}

/// The network of the links. Fabrics with an uplink share the network between hosts, so their
/// hardware addresses hold the numbers of the fabric and of its owner (netd::Uplink).
WorkerNetwork link_network(const netd::CreateRequest& request) {
  return {kWorkerDevice, "10.77.0.", hardware_prefix(request, 'M')};
}

/// The control network. Its hardware addresses differ from those of the links.
WorkerNetwork control_network(const netd::CreateRequest& request) {
  return {kControlDevice, "10.78.0.", hardware_prefix(request, 'N')};
}

std::string hardware_address(const WorkerNetwork& network, int worker) {
  return network.hardware + hex(worker + 1);
}

/// The `ip` command after which the kernel sends no ARP requests on a worker's device. The kernel
/// then drops the entry of an address that add_neighbours() did not add as soon as it needs the
/// entry's place.
std::string no_probes(const WorkerNetwork& network) {
  return fmt::format("ntable change name arp_cache dev {} mcast_probes 0", network.device);
}

/// Adds a batch that tells a worker the hardware addresses of the other workers. The kernel keeps
/// at most 1,024 answers to ARP for all namespaces together. 64 workers would need 4,032, and one
/// worker that asks for addresses that nobody has could use up the places of all users. Permanent
/// entries take no place.
void add_neighbours(const WorkerNetwork& network, int workers, int worker,
                    std::vector<Batch>& batches) {
  if (workers == 1) return;
  Batch batch{worker, "ip", {}};
  for (int number = 1; number <= workers; ++number) {
    if (number == worker + 1) continue;
    batch.lines.push_back(entry(network, std::to_string(number), hex(number)));
  }
  batch.typed = fmt::format("for n in $(seq {}); do [ $n = {} ] || ip {}; done", workers,
                            worker + 1, entry(network, "$n", "$(printf %02x $n)"));
  batches.push_back(std::move(batch));
}

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

std::string bridge_device(int bridge) { return fmt::format("br{}", bridge); }

LinkEnd worker_end(int worker) { return {worker, kWorkerDevice, {}}; }

std::string port_device(int worker) { return fmt::format("port{}", worker); }
std::string uplink_device(int worker) { return fmt::format("uplink{}", worker); }

LinkEnd port(const netd::CreateRequest& request, int worker) {
  if (request.uplink) return {Batch::kSwitch, port_device(worker), {}, uplink_device(worker)};
  const auto& link = request.workers.at(static_cast<std::size_t>(worker));
  return {Batch::kSwitch, port_device(worker), bridge_device(link.attached_to)};
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
  for (const int worker : netd::workers_here(request)) {
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

/// The `ip` line that makes a device which sends and receives over one of the host's interfaces,
/// with a hardware address of its own.
std::string macvlan_line(const std::string& interface, const std::string& device,
                         const std::string& name_space, const std::string& address,
                         const std::string& mtu = {}) {
  return fmt::format("link add link {} name {} netns {} address {}{} type macvlan mode bridge",
                     interface, device, name_space, address, mtu);
}

/// Makes the uplink's device. The command runs in the host's namespace, where the interface is, and
/// puts the device into the switches' namespace. The device has the worker's hardware address, so
/// it receives what is for the worker.
Batch uplink_on_host(const netd::CreateRequest& request, const FabricPlan& plan,
                     const NamespaceNames& namespaces) {
  const auto& uplink = *request.uplink;
  return {Batch::kHost,
          "ip",
          {macvlan_line(uplink.interface, plan.uplink->device, namespaces.switches,
                        hardware_address(link_network(request), uplink.worker),
                        fmt::format(" mtu {}", plan.mtu))}};
}

/// Keeps a device that comes up from sending IPv6's packets. A device whose MTU is below IPv6's
/// least (RFC 8200, section 5) has no IPv6, and its address mode cannot be set.
std::string no_ipv6(int mtu) {
  constexpr int kLeastMtu = 1280;
  return mtu < kLeastMtu ? "" : " addrgenmode none";
}

/// Makes the bridges, every link (a veth pair) and the ifb devices. Brings up those in the
/// switches' namespace; worker_devices() brings up the others.
Batch switch_devices(const netd::CreateRequest& request, const FabricPlan& plan,
                     const NamespaceNames& namespaces) {
  Batch batch{Batch::kSwitch, "ip", {"link set dev lo up"}};
  auto& lines = batch.lines;
  const auto bridges = plan.uplink ? 0 : request.switches;
  // IPv6 and multicast would put packets on the links that no worker sent.
  for (int bridge = 0; bridge < bridges; ++bridge) {
    lines.push_back(
        fmt::format("link add {} mtu {} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                    bridge_device(bridge), plan.mtu));
    lines.push_back(fmt::format("link set dev {}{} up", bridge_device(bridge), no_ipv6(plan.mtu)));
  }
  const auto raise = [&](const LinkEnd& end) {
    const auto master = end.bridge.empty() ? "" : " master " + end.bridge;
    lines.push_back(fmt::format("link set dev {}{}{} up", end.device, no_ipv6(plan.mtu), master));
  };
  if (plan.uplink) raise(*plan.uplink);
  // Two successive directions make a link.
  for (std::size_t i = 0; i < plan.directions.size(); i += 2) {
    const auto& sender = plan.directions[i].sender;
    const auto& receiver = plan.directions[i].receiver;
    const bool of_worker = sender.place != Batch::kSwitch;
    const auto& near = of_worker ? receiver : sender;
    const auto& far = of_worker ? sender : receiver;
    const auto inside = of_worker ? fmt::format(" address {} netns {}",
                                                hardware_address(link_network(request), far.place),
                                                namespaces.workers.at(far.place))
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
                                  namespaces.workers.at(place)));
    }
  }
  return batch;
}

/// The control network's devices: one without shaping in each worker's namespace, on a bridge or on
/// the host's interface.
Batch control_devices(const netd::CreateRequest& request, const FabricPlan& plan,
                      const NamespaceNames& namespaces) {
  const auto network = control_network(request);
  if (request.uplink) {
    const int worker = request.uplink->worker;
    return {Batch::kHost,
            "ip",
            {macvlan_line(request.uplink->control_interface, network.device,
                          namespaces.workers.at(worker), hardware_address(network, worker))}};
  }
  Batch batch{Batch::kSwitch,
              "ip",
              {"link add control type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
               "link set dev control addrgenmode none up"}};
  for (const int worker : plan.workers) {
    batch.lines.push_back(fmt::format(
        "link add control{} type veth peer name {} address {} netns {}", worker, network.device,
        hardware_address(network, worker), namespaces.workers.at(worker)));
    batch.lines.push_back(
        fmt::format("link set dev control{} addrgenmode none master control up", worker));
  }
  return batch;
}

void add_control_network(const netd::CreateRequest& request, const NamespaceNames& namespaces,
                         FabricPlan& plan) {
  const auto network = control_network(request);
  plan.batches.push_back(control_devices(request, plan, namespaces));
  for (const int worker : plan.workers) {
    plan.batches.push_back(
        {worker,
         "ip",
         {fmt::format("link set dev {} addrgenmode none up", network.device),
          fmt::format("address add {}/16 dev {}", netd::control_address(worker), network.device),
          no_probes(network)}});
    add_neighbours(network, static_cast<int>(request.workers.size()), worker, plan.batches);
  }
}

Batch worker_devices(const netd::CreateRequest& request, const FabricPlan& plan, int worker) {
  const auto address = netd::worker_address(worker);
  Batch batch{worker, "ip", {"link set dev lo up"}};
  for (const auto& direction : plan.directions) {
    if (!direction.netem || direction.receiver.place != worker) continue;
    batch.lines.push_back(fmt::format("link set dev {} addrgenmode none up", direction.ifb()));
  }
  append(batch.lines,
         {fmt::format("link set dev {} gso_max_size {}{}{} up", kWorkerDevice, plan.gso_max_bytes,
                      plan.single_packets ? " gso_max_segs 1" : "", no_ipv6(plan.mtu)),
          fmt::format("address add {}/16 dev {} noprefixroute", address, kWorkerDevice),
          fmt::format("route add {} dev {} src {} congctl lock {}{}", kSubnet, kWorkerDevice,
                      address, plan.congestion_control,
                      plan.rto_min_ms > 0 ? fmt::format(" rto_min {}ms", plan.rto_min_ms) : ""),
          no_probes(link_network(request))});
  return batch;
}

/// Everything that tc does in one namespace.
Batch traffic_control(const FabricPlan& plan, int place) {
  Batch batch{place, "tc", {}};
  for (const auto& direction : plan.directions) {
    if (direction.sender.place == place) {
      append(batch.lines, shaping_lines(direction.sender.device, direction.shape));
    }
    if (direction.receiver.place != place) continue;
    if (direction.netem) {
      append(batch.lines,
             netem_lines(direction.receiver.device, direction.ifb(), *direction.netem));
    } else if (!direction.receiver.passes_to.empty()) {
      append(batch.lines, redirect_lines(direction.receiver.device, direction.receiver.passes_to));
    }
  }
  if (plan.uplink && plan.uplink->place == place) {
    append(batch.lines, redirect_lines(plan.uplink->device, plan.uplink->passes_to));
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
  throw std::runtime_error{fmt::format(
      "netem of {} has room for {} packets in flight, but {} Mbit/s needs {}; declare the "
      "schedule's highest rate as this direction's most_rate_mbit",
      name, netem->limit_packets, rate_mbit, needed)};
}

FabricPlan fabric_plan(const netd::CreateRequest& request, const NamespaceNames& namespaces) {
  FabricPlan plan;
  plan.workers = netd::workers_here(request);
  plan.mtu = request.mtu;
  plan.gso_max_bytes = netd::gso_max_bytes(request);
  plan.single_packets = netd::needs_single_packets(request);
  plan.congestion_control = request.congestion_control;
  plan.rto_min_ms = request.rto_min_ms;
  plan.sysctls = tcp_buffers(request);
  plan.directions = directions(request);
  if (request.uplink) {
    const int worker = request.uplink->worker;
    // The hosts' network may use these IPv4 addresses too, so workers answer no ARP request for
    // them. No worker needs an answer: it knows the hardware addresses of the others.
    plan.sysctls.push_back({"net.ipv4.conf.all.arp_ignore", "8"});
    plan.uplink = LinkEnd{Batch::kSwitch, uplink_device(worker), {}, port_device(worker)};
    plan.batches.push_back(uplink_on_host(request, plan, namespaces));
  }
  plan.batches.push_back(switch_devices(request, plan, namespaces));
  plan.batches.push_back(traffic_control(plan, Batch::kSwitch));
  for (const int worker : plan.workers) {
    plan.batches.push_back(traffic_control(plan, worker));
    plan.batches.push_back(worker_devices(request, plan, worker));
    add_neighbours(link_network(request), static_cast<int>(request.workers.size()), worker,
                   plan.batches);
  }
  plan.control_network = request.control_network;
  if (plan.control_network) add_control_network(request, namespaces, plan);
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

}  // namespace pacbench::netem
