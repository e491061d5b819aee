#include "netem/session/fabric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/check.h"
#include "base/traffic_counters.h"
#include "contract/fabric/features.h"
#include "netem/kernel/iproute2.h"
#include "netem/session/process_namespace.h"

namespace pacbench::netem {
namespace {

namespace feature = netd::feature;

// The kernel raises a port's carrier from a work queue, as a rule within a millisecond.
constexpr std::chrono::milliseconds kCarrierPoll{1};
constexpr std::chrono::seconds kCarrierTimeout{3};

netd::ShapedLink as_reported(const PlannedDirection& direction, const LinkShape& shape,
                             const NetemShape& netem) {
  return {direction.name,    direction.sender.device, shape.rate_bytes_per_s,
          shape.burst_bytes, shape.ceil_burst_bytes,  shape.quantum_bytes,
          shape.queue_bytes, netem.impairment,        netem.limit_packets};
}

/// Switches IPv6 off for future devices of the calling thread's namespace, so that no neighbour
/// discovery or multicast report is counted on a link. Where /proc/sys is read-only, as in some
/// containers, only `addrgenmode none` takes effect, and a few packets are sent at the start. A
/// kernel without IPv6 needs neither.
void switch_off_ipv6() { std::ofstream{"/proc/sys/net/ipv6/conf/default/disable_ipv6"} << '1'; }

/// When a program ends, the kernel still sends what it has written, and keeps its network namespace
/// until all is acknowledged. When the links have gone meanwhile, nothing ever is. The kernel would
/// give up after 102 s; with this number of retransmissions it does after 6 to 13 s without an
/// acknowledgement (tcp_orphan_retries() in tcp_timer.c). Where /proc/sys is read-only, it takes
/// its time.
void give_up_on_unsent_data_soon() {
  std::ofstream{"/proc/sys/net/ipv4/tcp_orphan_retries"} << '4';
}

/// Makes existing devices steer packets, where steer_devices_to_come() has failed. Without root
/// this may fail too. Links still work then, and the verdict on retransmissions reports when
/// packets overtook each other.
void steer_by_hand(const std::string& cpus) {
  try {
    steer_devices(cpus);
  } catch (const std::system_error&) {
  }
}

void append_lines(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

KernelFabric::KernelFabric(const netd::CreateRequest& request, std::optional<uid_t> charged,
                           const NetNamespace* host)
    : charged_{charged.has_value()},
      workers_of_fabric_{static_cast<int>(request.workers.size())},
      directions_{netd::directions_here(request)} {
  refuse_initial_namespace();
  const auto impaired = [&](const std::string& name) {
    return netd::find_direction(request, name)->impairment.any();
  };
  if (std::any_of(directions_.begin(), directions_.end(), impaired)) {
    require_features({feature::kIfb, feature::kMirred, feature::kNetem});
  }
  {
    const ChargedTo user{charged};
    for (const int slot : netd::workers_here(request)) {
      workers_.emplace(slot, NetNamespace::create());
    }
  }
  bool steered = true;
  for_each_place([&](int) {
    switch_off_ipv6();
    give_up_on_unsent_data_soon();
    steered = steer_devices_to_come(steering_cpus_) && steered;
  });
  set_up(request, host);
  if (!steered) for_each_place([&](int) { steer_by_hand(steering_cpus_); });
  wait_for_carrier();
  const auto found = read_back();
  if (const auto lines = compare(found); !lines.empty()) {
    throw std::runtime_error{fmt::format(
        "the links in the kernel differ from what pacbench-netd set:\n{}", fmt::join(lines, "\n"))};
  }
  take_hold(found);
}

KernelFabric::~KernelFabric() {
  try {
    if (plan_.uplink) delete_uplink();
    if (charged_) delete_links();
  } catch (const std::exception& error) {
    spdlog::warn(
        "cannot delete a device of a fabric: {}; nothing needs to be done: the kernel deletes it "
        "when no program uses its network namespace any more",
        error.what());
  }
}

/// Deletes all shaped links and so empties their queues. Else a user who keeps the namespaces, and
/// makes fabric after fabric, could have any number of full queues on slow links.
void KernelFabric::delete_links() const {
  Batch batch{Batch::kSwitch, "ip", {}};
  for (const auto& direction : plan_.directions) {
    if (direction.sender.place != Batch::kSwitch) continue;
    batch.lines.push_back(fmt::format("link set dev {} group 1", direction.sender.device));
  }
  // The kernel deletes a group in one step, and the links' other ends with it.
  batch.lines.push_back("link delete group 1");
  run_batch(batch, "the namespace of the switches");
}

void KernelFabric::delete_uplink() const {
  run_batch({Batch::kSwitch, "ip", {"link delete dev " + plan_.uplink->device}},
            "the namespace of the switches");
  if (!plan_.control_network) return;
  const auto inside = workers_.begin()->second.enter();
  run_batch({Batch::kSwitch, "ip", {fmt::format("link delete dev {}", kControlDevice)}},
            "a worker's namespace");
}

void KernelFabric::set_up(const netd::CreateRequest& request, const NetNamespace* host) {
  // Not closed on exec: the programs that are given the paths must have the descriptors too.
  std::vector<UniqueFd> inherited;
  const auto path_of = [&](const NetNamespace& target) {
    const int fd = inherited.emplace_back(check("dup", ::dup(target.fd()))).get();
    return fmt::format("/proc/self/fd/{}", fd);
  };
  NamespaceNames paths{path_of(NetNamespace::current()), {}};
  for (const auto& [slot, worker] : workers_) paths.workers[slot] = path_of(worker);
  plan_ = fabric_plan(request, paths);
  for (const auto& [slot, worker] : workers_) {
    const auto inside = worker.enter();
    for (const auto& sysctl : plan_.sysctls) set_sysctl(sysctl);
  }
  for (const auto& batch : plan_.batches) {
    if (batch.place == Batch::kHost) {
      const auto outside = host->enter();
      run_batch(batch, "this host's network namespace");
      continue;
    }
    const auto inside = enter(batch.place);
    run_batch(batch, batch.place == Batch::kSwitch
                         ? "the namespace of the switches"
                         : fmt::format("the namespace of worker {}", batch.place));
  }
  // From here on the plan uses namespace names, because people cannot use our descriptors.
  plan_ = fabric_plan(request, namespace_names(plan_.workers));
  plan_.steering_cpus = steering_cpus_;
}

const NetNamespace& KernelFabric::worker(int slot) const {
  if (const auto found = workers_.find(slot); found != workers_.end()) return found->second;
  throw std::runtime_error{fmt::format("worker {} of this fabric is on another host", slot)};
}

void KernelFabric::for_each_place(const std::function<void(int place)>& work) const {
  work(Batch::kSwitch);
  for (const auto& [slot, worker] : workers_) {
    const auto inside = worker.enter();
    work(slot);
  }
}

std::optional<NetNamespace::Entered> KernelFabric::enter(int place) const {
  if (place == Batch::kSwitch) return std::nullopt;
  return std::optional<NetNamespace::Entered>{std::in_place, worker(place)};
}

void KernelFabric::wait_for_carrier() const {
  const auto deadline = std::chrono::steady_clock::now() + kCarrierTimeout;
  const auto ready = [&](const Devices& devices) {
    return std::all_of(plan_.directions.begin(), plan_.directions.end(), [&](const auto& planned) {
      const auto& sender = planned.sender;
      if (sender.place != Batch::kSwitch) return true;
      const auto& port = devices.at(sender.device);
      return port.carrier && (port.forwarding || sender.bridge.empty());
    });
  };
  while (!ready(read_devices())) {
    if (std::chrono::steady_clock::now() > deadline) return;  // compare() will say what is wrong
    std::this_thread::sleep_for(kCarrierPoll);
  }
}

Found KernelFabric::read_back() const {
  Found found;
  for_each_place([&](int place) { found[place] = read_devices(); });
  return found;
}

std::vector<std::string> KernelFabric::compare(const Found& found) const {
  std::vector<std::string> all;
  for (const auto& direction : plan_.directions) {
    append_lines(all, deviations(plan_, direction, found));
  }
  for_each_place([&](int) {
    if (auto words = unsteered_device(steering_cpus_); !words.empty()) all.push_back(words);
  });
  if (plan_.uplink) append_lines(all, uplink_deviations(plan_, found));
  for (const auto& [slot, worker] : workers_) {
    const auto inside = worker.enter();
    for (const auto& sysctl : plan_.sysctls) {
      const auto value = read_sysctl(sysctl);
      if (value == sysctl.value) continue;
      all.push_back(fmt::format("worker{}: {} is \"{}\", but was set to \"{}\"", slot, sysctl.name,
                                value, sysctl.value));
    }
  }
  return all;
}

void KernelFabric::take_hold(const Found& found) {
  for (const auto& direction : plan_.directions) {
    const auto& sender = direction.sender;
    const auto& state = found.at(sender.place).at(sender.device);
    const auto netem = direction.netem
                           ? *found.at(direction.receiver.place).at(direction.ifb()).netem
                           : NetemShape{};
    links_.push_back(as_reported(direction, *state.shape, netem));
    const auto inside = enter(sender.place);
    senders_.push_back({state.index, TrafficCounters{state.index}, RouteSocket{}});
  }
}

netd::CountersReply KernelFabric::counters() {
  netd::CountersReply reply;
  for (std::size_t i = 0; i < senders_.size(); ++i) {
    const auto& name = plan_.directions[i].name;
    try {
      const auto traffic = senders_[i].counters.read();
      reply.links.push_back({name, traffic.bytes, traffic.packets, traffic.dropped_packets});
    } catch (const std::system_error& error) {
      reply.deviations.push_back(fmt::format("{}: {}", name, error.what()));
    }
  }
  try {
    for (const auto& [slot, worker] : workers_) {
      const auto inside = worker.enter();
      reply.retransmitted_segments.push_back(retransmitted_segments());
      if (plan_.control_network)
        reply.control_bytes.push_back(device_traffic(kControlDevice).sent.bytes);
      reply.loopback_bytes.push_back(device_traffic("lo").sent.bytes);
    }
    append_lines(reply.deviations, compare(read_back()));
  } catch (const std::exception& error) {
    reply.deviations.push_back(
        fmt::format("the state of the links cannot be read: {}", error.what()));
  }
  return reply;
}

std::size_t KernelFabric::index_of(const std::string& direction) const {
  const auto found = std::find(directions_.begin(), directions_.end(), direction);
  if (found == directions_.end()) {
    throw std::runtime_error{fmt::format("\"{}\" is not a direction of this fabric", direction)};
  }
  return static_cast<std::size_t>(found - directions_.begin());
}

int KernelFabric::port_index(int slot) const {
  return senders_.at(index_of(netd::down_name(slot))).interface_index;
}

void KernelFabric::require_rate(const std::string& direction, double rate_mbit) const {
  const auto& planned = plan_.directions[index_of(direction)];
  planned.require_room(rate_mbit, plan_.mtu);
  htb_options(planned.shape_at(rate_mbit));
}

void KernelFabric::set_rate(const std::string& direction, double rate_mbit) {
  const auto i = index_of(direction);
  auto& planned = plan_.directions[i];
  const auto shape = planned.shape_at(rate_mbit);
  change_htb_class(senders_[i].route_socket, senders_[i].interface_index, shape);
  planned.shape = shape;
}

}  // namespace pacbench::netem
