#include "netem/kernel/readback.h"

#include <linux/if_bridge.h>
#include <linux/pkt_sched.h>
#include <net/if.h>

#include "base/traffic_counters.h"
#include "netem/kernel/netem_readback.h"
#include "netem/kernel/netlink_attributes.h"

namespace pacbench::netem {
namespace {

std::map<int, std::string> names_of(const Devices& devices) {
  std::map<int, std::string> names;
  for (const auto& [name, state] : devices) names[state.index] = name;
  return names;
}

Devices read_links(RouteSocket& socket) {
  Devices devices;
  std::map<std::string, int> masters;
  socket.dump(RTM_GETLINK, ifinfomsg{}, [&](nlmsghdr* message) {
    const auto* link = static_cast<const ifinfomsg*>(::nlmsg_data(message));
    const auto find = [&](int type) { return ::nlmsg_find_attr(message, sizeof *link, type); };
    const auto name = text(find(IFLA_IFNAME));
    auto& state = devices[name];
    state.index = link->ifi_index;
    state.up = (link->ifi_flags & IFF_UP) != 0;
    state.carrier = state.up && value_of<std::uint8_t>(find(IFLA_CARRIER)) == 1;
    state.mtu = number(find(IFLA_MTU));
    state.gso_max_bytes = number(find(IFLA_GSO_MAX_SIZE));
    state.gso_max_segments = number(find(IFLA_GSO_MAX_SEGS));
    const auto* port = nested(find(IFLA_LINKINFO), IFLA_INFO_SLAVE_DATA);
    state.forwarding =
        value_of<std::uint8_t>(nested(port, IFLA_BRPORT_STATE)) == BR_STATE_FORWARDING;
    if (const auto* master = find(IFLA_MASTER)) masters[name] = static_cast<int>(number(master));
  });
  const auto names = names_of(devices);
  for (const auto& [name, master] : masters) devices[name].bridge = names.at(master);
  return devices;
}

void read_class(const nlattr* options, DeviceState& state, LinkShape& shape) {
  const auto htb = value_of<tc_htb_opt>(nested(options, TCA_HTB_PARMS)).value_or(tc_htb_opt{});
  // Rates from 2^32 bytes a second on have an attribute of their own.
  const auto rate64 = value_of<std::uint64_t>(nested(options, TCA_HTB_RATE64));
  const auto ceil64 = value_of<std::uint64_t>(nested(options, TCA_HTB_CEIL64));
  const auto rate = static_cast<std::int64_t>(rate64.value_or(htb.rate.rate));
  const auto bytes = [&](std::uint32_t ticks) {
    return static_cast<std::int64_t>(static_cast<double>(ticks) * netd::kTick_s *
                                     static_cast<double>(rate));
  };
  state.ceil_bytes_per_s = static_cast<std::int64_t>(ceil64.value_or(htb.ceil.rate));
  shape.rate_bytes_per_s = rate;
  shape.burst_bytes = bytes(htb.buffer);
  shape.ceil_burst_bytes = bytes(htb.cbuffer);
  shape.quantum_bytes = htb.quantum;
}

void read_qdisc(const tcmsg& object, const std::string& kind, const nlattr* options,
                DeviceState& state) {
  if (object.tcm_parent == TC_H_INGRESS) state.ingress = kind;
  if (kind == "netem" && object.tcm_parent == TC_H_ROOT) state.netem = read_netem(options);
  if (kind == "htb" && object.tcm_parent == TC_H_ROOT) {
    const auto htb = value_of<tc_htb_glob>(nested(options, TCA_HTB_INIT));
    if (htb) state.default_class = htb->defcls;
  }
  if (kind == "bfifo" && object.tcm_parent == TrafficCounters::kClass) {
    state.leaf_bytes = value_of<tc_fifo_qopt>(options).value_or(tc_fifo_qopt{}).limit;
  }
}

void read_qdiscs(RouteSocket& socket, Devices& devices) {
  const auto names = names_of(devices);
  each_of(socket, RTM_GETQDISC, tcmsg{},
          [&](const tcmsg& object, const std::string& kind, const nlattr* options) {
            const auto name = names.find(object.tcm_ifindex);
            if (name == names.end()) return;  // the device came after the others were read
            read_qdisc(object, kind, options, devices[name->second]);
          });
  for (auto& [name, state] : devices) {
    if (!state.ingress.empty()) state.redirect = read_redirect(socket, state.index, names);
  }
}

void read_shape(RouteSocket& socket, DeviceState& state) {
  if (!state.default_class || !state.leaf_bytes) return;
  tcmsg header{};
  header.tcm_ifindex = state.index;
  each_of(socket, RTM_GETTCLASS, header,
          [&](const tcmsg& object, const std::string& kind, const nlattr* options) {
            if (kind != "htb" || object.tcm_handle != TrafficCounters::kClass) return;
            state.shape.emplace().queue_bytes = *state.leaf_bytes;
            read_class(options, state, *state.shape);
          });
}

void read_routes(RouteSocket& socket, Devices& devices) {
  rtmsg header{};
  header.rtm_family = AF_INET;
  socket.dump(RTM_GETROUTE, header, [&](nlmsghdr* message) {
    const auto* route = static_cast<const rtmsg*>(::nlmsg_data(message));
    const auto find = [&](int type) { return ::nlmsg_find_attr(message, sizeof *route, type); };
    const auto* metrics = find(RTA_METRICS);
    const auto* algorithm = nested(metrics, RTAX_CC_ALGO);
    const auto locks = number(nested(metrics, RTAX_LOCK));
    const bool locked = (locks & (1 << RTAX_CC_ALGO)) != 0;
    if (route->rtm_type != RTN_UNICAST || algorithm == nullptr || !locked) return;
    for (auto& [name, state] : devices) {
      if (state.index == number(find(RTA_OIF))) {
        state.congestion_control = text(algorithm);
        const bool has_rto = (locks & (1 << RTAX_RTO_MIN)) != 0;
        state.rto_min_ms = has_rto ? static_cast<int>(number(nested(metrics, RTAX_RTO_MIN))) : 0;
      }
    }
  });
}

}  // namespace

Devices read_devices() {
  RouteSocket socket;
  auto devices = read_links(socket);
  read_qdiscs(socket, devices);
  for (auto& [name, state] : devices) read_shape(socket, state);
  read_routes(socket, devices);
  return devices;
}

}  // namespace pacbench::netem
