#pragma once

#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/route_socket.h"

namespace pacbench::netem {

/// Finds the attribute of a type among those nested in `parent`, after a structure of `skip` bytes;
/// nullptr when there is no such attribute or no parent.
inline const nlattr* nested(const nlattr* parent, int type, std::size_t skip = 0) {
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

inline std::int64_t number(const nlattr* attribute) {
  return value_of<std::uint32_t>(attribute).value_or(0);
}

inline std::string text(const nlattr* attribute) {
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

}  // namespace pacbench::netem
