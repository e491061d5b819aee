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

void read_link(RouteSocket& socket, DeviceState& state) {
  ifinfomsg header{};
  bool found = false;
  socket.dump(RTM_GETLINK, header, [&](nlmsghdr* message) {
    const auto* link = static_cast<const ifinfomsg*>(::nlmsg_data(message));
    if (link->ifi_index != state.index) return;
    const auto find = [&](int type) { return ::nlmsg_find_attr(message, sizeof *link, type); };
    found = true;
    state.carrier =
        (link->ifi_flags & IFF_UP) != 0 && value_of<std::uint8_t>(find(IFLA_CARRIER)) == 1;
    state.mtu = number(find(IFLA_MTU));
    state.gso_max_bytes = number(find(IFLA_GSO_MAX_SIZE));
    const auto* port = nested(find(IFLA_LINKINFO), IFLA_INFO_SLAVE_DATA);
    const auto* port_state = nested(port, IFLA_BRPORT_STATE);
    state.forwarding =
        find(IFLA_MASTER) != nullptr && value_of<std::uint8_t>(port_state) == BR_STATE_FORWARDING;
  });
  if (!found) throw std::system_error{ENODEV, std::generic_category(), "RTM_GETLINK"};
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

/// Shows the traffic control objects of one device with kind and options.
template <typename Visit>
void each_of(RouteSocket& socket, std::uint16_t type, int interface_index, Visit visit) {
  tcmsg header{};
  header.tcm_ifindex = interface_index;
  socket.dump(type, header, [&](nlmsghdr* message) {
    const auto* object = static_cast<const tcmsg*>(::nlmsg_data(message));
    if (object->tcm_ifindex != interface_index) return;
    const auto* kind = ::nlmsg_find_attr(message, sizeof *object, TCA_KIND);
    const auto* options = ::nlmsg_find_attr(message, sizeof *object, TCA_OPTIONS);
    if (kind != nullptr) visit(*object, std::string{::nla_get_string(kind)}, options);
  });
}

void read_shape(RouteSocket& socket, DeviceState& state) {
  LinkShape shape;
  bool has_class = false;
  bool has_leaf = false;
  each_of(socket, RTM_GETQDISC, state.index,
          [&](const tcmsg& object, const std::string& kind, const nlattr* options) {
            if (kind == "htb" && object.tcm_parent == TC_H_ROOT) {
              const auto htb = value_of<tc_htb_glob>(nested(options, TCA_HTB_INIT));
              if (htb) state.default_class = htb->defcls;
            }
            if (kind == "bfifo" && object.tcm_parent == TrafficCounters::kClass) {
              has_leaf = true;
              shape.queue_bytes = value_of<tc_fifo_qopt>(options).value_or(tc_fifo_qopt{}).limit;
            }
          });
  each_of(socket, RTM_GETTCLASS, state.index,
          [&](const tcmsg& object, const std::string& kind, const nlattr* options) {
            if (kind != "htb" || object.tcm_handle != TrafficCounters::kClass) return;
            has_class = true;
            read_class(options, state, shape);
          });
  if (has_class && has_leaf) state.shape = shape;
}

void read_route(RouteSocket& socket, DeviceState& state) {
  rtmsg header{};
  header.rtm_family = AF_INET;
  socket.dump(RTM_GETROUTE, header, [&](nlmsghdr* message) {
    const auto* route = static_cast<const rtmsg*>(::nlmsg_data(message));
    const auto find = [&](int type) { return ::nlmsg_find_attr(message, sizeof *route, type); };
    if (route->rtm_type != RTN_UNICAST || number(find(RTA_OIF)) != state.index) return;
    const auto* metrics = find(RTA_METRICS);
    const auto* algorithm = nested(metrics, RTAX_CC_ALGO);
    const bool locked = (number(nested(metrics, RTAX_LOCK)) & (1 << RTAX_CC_ALGO)) != 0;
    if (algorithm != nullptr && locked) state.congestion_control = ::nla_get_string(algorithm);
  });
}

}  // namespace

DeviceState read_device(const std::string& name) {
  DeviceState state;
  state.index = static_cast<int>(::if_nametoindex(name.c_str()));
  if (state.index == 0) throw std::system_error{errno, std::generic_category(), name};
  RouteSocket socket;
  read_link(socket, state);
  read_shape(socket, state);
  read_route(socket, state);
  return state;
}

}  // namespace pacbench
