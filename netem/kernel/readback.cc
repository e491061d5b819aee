#include "netem/kernel/readback.h"

#include <linux/if_bridge.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_mirred.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/route_socket.h"
#include "base/traffic_counters.h"

namespace pacbench::netem {
namespace {

constexpr double kWholeShare = 4294967295;  // what the kernel calls 100 %
constexpr std::uint32_t kIngress = 0xffff'0000;

/// Finds the attribute of a type among those nested in `parent`, after a structure of `skip` bytes;
/// nullptr when there is no such attribute or no parent.
const nlattr* nested(const nlattr* parent, int type, std::size_t skip = 0) {
  const int before = static_cast<int>(NLA_ALIGN(skip));
  if (parent == nullptr || ::nla_len(parent) < before) return nullptr;
  const auto* first = static_cast<const char*>(::nla_data(parent)) + before;
  return ::nla_find(reinterpret_cast<const nlattr*>(first), ::nla_len(parent) - before, type);
}

/// Reads a structure from an attribute. Where an older kernel sends less of it, the rest is zero.
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

std::string text(const nlattr* attribute) {
  return attribute == nullptr ? std::string{} : std::string{::nla_get_string(attribute)};
}

/// Calls `visit` with each traffic control object of a `type` (RTM_GETQDISC, RTM_GETTCLASS or
/// RTM_GETTFILTER), its kind and its options. `header` holds what the kernel filters by.
template <typename Visit>
void each_of(RouteSocket& socket, std::uint16_t type, const tcmsg& header, Visit visit) {
  socket.dump(type, header, [&](nlmsghdr* message) {
    const auto* object = static_cast<const tcmsg*>(::nlmsg_data(message));
    const auto* kind = ::nlmsg_find_attr(message, sizeof *object, TCA_KIND);
    const auto* options = ::nlmsg_find_attr(message, sizeof *object, TCA_OPTIONS);
    if (kind != nullptr) visit(*object, text(kind), options);
  });
}

/// Returns a time from nanoseconds where the kernel sends them, else from ticks.
double time_ms(const nlattr* nanoseconds, std::uint32_t ticks) {
  const auto exact = value_of<std::int64_t>(nanoseconds);
  return 1e3 * (exact ? static_cast<double>(*exact) * 1e-9 : ticks * netd::kTick_s);
}

/// Whether a filter has a single key, which every packet matches.
bool matches_all(const nlattr* selector) {
  constexpr std::size_t kOneKey = sizeof(tc_u32_sel) + sizeof(tc_u32_key);
  if (selector == nullptr || static_cast<std::size_t>(::nla_len(selector)) < kOneKey) return false;
  const auto* found = static_cast<const tc_u32_sel*>(::nla_data(selector));
  return found->nkeys == 1 && found->keys[0].mask == 0 && found->keys[0].val == 0;
}

/// The index of the device to which a filter's first action redirects; 0 for any other action.
int redirect_of(const nlattr* filter) {
  const auto* action = nested(nested(filter, TCA_U32_ACT), 1);
  const auto* options = nested(action, TCA_ACT_OPTIONS);
  const auto mirred = value_of<tc_mirred>(nested(options, TCA_MIRRED_PARMS));
  if (text(nested(action, TCA_ACT_KIND)) != "mirred" || !mirred) return 0;
  return mirred->eaction == TCA_EGRESS_REDIR ? static_cast<int>(mirred->ifindex) : 0;
}

/// The settings of a netem qdisc, from the options in the kernel's answer.
NetemShape read_netem(const nlattr* options) {
  const auto netem = value_of<tc_netem_qopt>(options).value_or(tc_netem_qopt{});
  const auto find = [&](int type) { return nested(options, type, sizeof netem); };
  const auto reorder = value_of<tc_netem_reorder>(find(TCA_NETEM_REORDER));
  NetemShape shape;
  shape.impairment.delay_ms = time_ms(find(TCA_NETEM_LATENCY64), netem.latency);
  shape.impairment.jitter_ms = time_ms(find(TCA_NETEM_JITTER64), netem.jitter);
  shape.impairment.loss = netem.loss / kWholeShare;
  shape.impairment.reorder = reorder ? reorder->probability / kWholeShare : 0;
  shape.limit_packets = netem.limit;
  return shape;
}

/// Returns the name of the device to which the ingress qdisc of the device `interface_index`
/// redirects all that this device receives. `names` holds the devices' names by index. Several
/// filters give a list, and none gives an empty result. A filter that does anything else gives
/// "something else".
std::string read_redirect(RouteSocket& socket, int interface_index,
                          const std::map<int, std::string>& names) {
  tcmsg header{};
  header.tcm_ifindex = interface_index;
  header.tcm_parent = kIngress;
  std::string targets;
  each_of(socket, RTM_GETTFILTER, header,
          [&](const tcmsg&, const std::string& kind, const nlattr* options) {
            // u32 also shows its hash tables, which do nothing by themselves.
            if (kind == "u32" && nested(options, TCA_U32_DIVISOR) != nullptr) return;
            if (options == nullptr) return;
            const bool ours = kind == "u32" && matches_all(nested(options, TCA_U32_SEL));
            const auto target = names.find(ours ? redirect_of(options) : 0);
            if (!targets.empty()) targets += ", ";
            targets += target == names.end() ? "something else" : target->second;
          });
  return targets;
}

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
