#include "netem/kernel/htb_rate_change.h"

#include <fmt/format.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

#include "base/traffic_counters.h"

namespace pacbench::netem {
namespace {

constexpr std::uint32_t kRoot = 0x0001'0000;
constexpr std::int64_t kWidest = std::numeric_limits<std::uint32_t>::max();

using NetlinkMessage = std::unique_ptr<nl_msg, decltype(&::nlmsg_free)>;

std::uint32_t cut(std::int64_t bytes) {
  return static_cast<std::uint32_t>(std::min(bytes, kWidest));
}

/// Throws std::bad_alloc when a message has no room for what libnl was to put into it.
void require_room(int result) {
  if (result < 0) throw std::bad_alloc{};
}

void put_options(nl_msg* message, const LinkShape& shape) {
  auto* nested = ::nla_nest_start(message, TCA_OPTIONS);
  if (nested == nullptr) throw std::bad_alloc{};
  const auto options = htb_options(shape);
  require_room(::nla_put(message, TCA_HTB_PARMS, sizeof options, &options));
  if (shape.rate_bytes_per_s > kWidest) {
    const auto rate = static_cast<std::uint64_t>(shape.rate_bytes_per_s);
    require_room(::nla_put_u64(message, TCA_HTB_RATE64, rate));
    require_room(::nla_put_u64(message, TCA_HTB_CEIL64, rate));
  }
  require_room(::nla_nest_end(message, nested));
}

}  // namespace

tc_htb_opt htb_options(const LinkShape& shape) {
  const auto ticks = [&](std::int64_t bytes) {
    const double time_s = static_cast<double>(bytes) / static_cast<double>(shape.rate_bytes_per_s);
    if (time_s / netd::kTick_s <= kWidest) {
      return static_cast<std::uint32_t>(std::llround(time_s / netd::kTick_s));
    }
    throw std::runtime_error{
        fmt::format("a burst of {} bytes takes {:.0f} s at {} bytes/s, but the kernel can store at "
                    "most {:.0f} s; expected a smaller burst or a higher rate",
                    bytes, time_s, shape.rate_bytes_per_s, kWidest * netd::kTick_s)};
  };
  tc_htb_opt options{};
  options.rate.rate = cut(shape.rate_bytes_per_s);
  // With the link layer given, the kernel does not look for a rate table to infer it from.
  options.rate.linklayer = TC_LINKLAYER_ETHERNET;
  options.ceil = options.rate;
  options.buffer = ticks(shape.burst_bytes);
  options.cbuffer = ticks(shape.ceil_burst_bytes);
  options.quantum = static_cast<std::uint32_t>(shape.quantum_bytes);
  return options;
}

void change_htb_class(RouteSocket& socket, int interface_index, const LinkShape& shape) {
  // Without NLM_F_CREATE a missing class is an error and is not made.
  const NetlinkMessage message{::nlmsg_alloc_simple(RTM_NEWTCLASS, 0), &::nlmsg_free};
  if (!message) throw std::bad_alloc{};
  tcmsg header{};
  header.tcm_family = AF_UNSPEC;
  header.tcm_ifindex = interface_index;
  header.tcm_handle = TrafficCounters::kClass;
  header.tcm_parent = kRoot;
  require_room(::nlmsg_append(message.get(), &header, sizeof header, NLMSG_ALIGNTO));
  require_room(::nla_put_string(message.get(), TCA_KIND, "htb"));
  put_options(message.get(), shape);
  socket.change(*::nlmsg_hdr(message.get()));
}

}  // namespace pacbench::netem
