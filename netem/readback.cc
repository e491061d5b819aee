#include "netem/readback.h"

#include <fmt/format.h>
#include <linux/if_bridge.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include <system_error>

#include "base/traffic_counters.h"

namespace pacbench {
namespace {

constexpr double kTick_s = 64e-9;  // the unit of HTB's bursts in the kernel's messages

const nlattr* nested(const nlattr* parent, int type) {
  if (parent == nullptr) return nullptr;
  return ::nla_find(static_cast<const nlattr*>(::nla_data(parent)), ::nla_len(parent), type);
}

template <typename Value>
std::optional<Value> value_of(const nlattr* attribute) {
  if (attribute == nullptr) return std::nullopt;
  Value value{};
  ::nla_memcpy(&value, attribute, sizeof value);
  return value;
}

std::int64_t number(const nlattr* attribute) {
  return value_of<std::uint32_t>(attribute).value_or(0);
}

Devices read_links(RouteSocket& socket) {
  Devices devices;
  std::map<int, std::string> names;
  std::map<std::string, int> masters;
  socket.dump(RTM_GETLINK, ifinfomsg{}, [&](nlmsghdr* message) {
    const auto* link = static_cast<const ifinfomsg*>(::nlmsg_data(message));
    const auto find = [&](int type) { return ::nlmsg_find_attr(message, sizeof *link, type); };
    const std::string name{::nla_get_string(find(IFLA_IFNAME))};
    auto& state = devices[name];
    state.index = link->ifi_index;
    state.carrier =
        (link->ifi_flags & IFF_UP) != 0 && value_of<std::uint8_t>(find(IFLA_CARRIER)) == 1;
    state.mtu = number(find(IFLA_MTU));
    state.gso_max_bytes = number(find(IFLA_GSO_MAX_SIZE));
    const auto* port = nested(find(IFLA_LINKINFO), IFLA_INFO_SLAVE_DATA);
    state.forwarding =
        value_of<std::uint8_t>(nested(port, IFLA_BRPORT_STATE)) == BR_STATE_FORWARDING;
    names[state.index] = name;
    if (const auto* master = find(IFLA_MASTER)) masters[name] = static_cast<int>(number(master));
  });
  for (const auto& [name, master] : masters) devices[name].bridge = names[master];
  return devices;
}

void read_class(const nlattr* options, DeviceState& state, LinkShape& shape) {
  const auto htb = value_of<tc_htb_opt>(nested(options, TCA_HTB_PARMS)).value_or(tc_htb_opt{});
  // Rates from 2^32 bytes a second on have an attribute of their own.
  const auto rate64 = value_of<std::uint64_t>(nested(options, TCA_HTB_RATE64));
  const auto ceil64 = value_of<std::uint64_t>(nested(options, TCA_HTB_CEIL64));
  const auto rate = static_cast<std::int64_t>(rate64.value_or(htb.rate.rate));
  const auto bytes = [&](std::uint32_t ticks) {
    return static_cast<std::int64_t>(static_cast<double>(ticks) * kTick_s *
                                     static_cast<double>(rate));
  };
  state.ceil_bytes_per_s = static_cast<std::int64_t>(ceil64.value_or(htb.ceil.rate));
  shape.rate_bytes_per_s = rate;
  shape.burst_bytes = bytes(htb.buffer);
  shape.ceil_burst_bytes = bytes(htb.cbuffer);
  shape.quantum_bytes = htb.quantum;
}

/// Shows traffic control objects with their kind and options; of all devices, or of one where the
/// kernel wants to know which.
template <typename Visit>
void each_of(RouteSocket& socket, std::uint16_t type, int interface_index, Visit visit) {
  tcmsg header{};
  header.tcm_ifindex = interface_index;
  socket.dump(type, header, [&](nlmsghdr* message) {
    const auto* object = static_cast<const tcmsg*>(::nlmsg_data(message));
    const auto* kind = ::nlmsg_find_attr(message, sizeof *object, TCA_KIND);
    const auto* options = ::nlmsg_find_attr(message, sizeof *object, TCA_OPTIONS);
    if (kind != nullptr) visit(*object, std::string{::nla_get_string(kind)}, options);
  });
}

/// The queue of each device that has an HTB root and a leaf, by index.
std::map<int, std::int64_t> read_qdiscs(RouteSocket& socket, Devices& devices) {
  std::map<int, DeviceState*> by_index;
  for (auto& [name, state] : devices) by_index[state.index] = &state;
  std::map<int, std::int64_t> queue_bytes;
  each_of(socket, RTM_GETQDISC, 0,
          [&](const tcmsg& object, const std::string& kind, const nlattr* options) {
            const auto device = by_index.find(object.tcm_ifindex);
            if (device == by_index.end()) return;  // it came after the others were read
            if (kind == "htb" && object.tcm_parent == TC_H_ROOT) {
              const auto htb = value_of<tc_htb_glob>(nested(options, TCA_HTB_INIT));
              if (htb) device->second->default_class = htb->defcls;
            }
            if (kind == "bfifo" && object.tcm_parent == TrafficCounters::kClass) {
              queue_bytes[object.tcm_ifindex] =
                  value_of<tc_fifo_qopt>(options).value_or(tc_fifo_qopt{}).limit;
            }
          });
  return queue_bytes;
}

void read_shape(RouteSocket& socket, DeviceState& state, std::int64_t queue_bytes) {
  each_of(socket, RTM_GETTCLASS, state.index,
          [&](const tcmsg& object, const std::string& kind, const nlattr* options) {
            if (kind != "htb" || object.tcm_handle != TrafficCounters::kClass) return;
            state.shape.emplace().queue_bytes = queue_bytes;
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
    const bool locked = (number(nested(metrics, RTAX_LOCK)) & (1 << RTAX_CC_ALGO)) != 0;
    if (route->rtm_type != RTN_UNICAST || algorithm == nullptr || !locked) return;
    for (auto& [name, state] : devices) {
      if (state.index == number(find(RTA_OIF))) {
        state.congestion_control = ::nla_get_string(algorithm);
      }
    }
  });
}

}  // namespace

Devices read_devices() {
  RouteSocket socket;
  auto devices = read_links(socket);
  const auto queue_bytes = read_qdiscs(socket, devices);
  for (auto& [name, state] : devices) {
    const auto queue = queue_bytes.find(state.index);
    if (state.default_class && queue != queue_bytes.end()) {
      read_shape(socket, state, queue->second);
    }
  }
  read_routes(socket, devices);
  return devices;
}

}  // namespace pacbench
