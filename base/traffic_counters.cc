#include "base/traffic_counters.h"

#include <fmt/format.h>
#include <linux/gen_stats.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include <array>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/files.h"

namespace pacbench {
namespace {

/// Copies a structure out of an attribute. Fields that an older kernel does not send stay 0.
template <typename Value>
Value copy(const nlattr* attribute) {
  Value value{};
  if (attribute != nullptr) ::nla_memcpy(&value, attribute, sizeof value);
  return value;
}

Traffic traffic_from(nlmsghdr* message) {
  const auto* stats = ::nlmsg_find_attr(message, sizeof(tcmsg), TCA_STATS2);
  if (stats == nullptr) return {};
  const auto find = [&](int type) {
    return ::nla_find(static_cast<const nlattr*>(::nla_data(stats)), ::nla_len(stats), type);
  };
  const auto basic = copy<gnet_stats_basic>(find(TCA_STATS_BASIC));
  const auto* wide = find(TCA_STATS_PKT64);
  Traffic traffic;
  traffic.bytes = static_cast<std::int64_t>(basic.bytes);
  // `basic` has 32 bits for packets; the kernel puts a larger count into an attribute of its own.
  traffic.packets = wide != nullptr ? static_cast<std::int64_t>(::nla_get_u64(wide))
                                    : static_cast<std::int64_t>(basic.packets);
  traffic.dropped_packets = copy<gnet_stats_queue>(find(TCA_STATS_QUEUE)).drops;
  return traffic;
}

}  // namespace

Traffic TrafficCounters::read() {
  tcmsg header{};
  header.tcm_family = AF_UNSPEC;
  header.tcm_ifindex = interface_index_;
  Traffic traffic;
  bool found = false;
  socket_.dump(RTM_GETTCLASS, header, [&](nlmsghdr* message) {
    const auto* object = static_cast<const tcmsg*>(::nlmsg_data(message));
    if (object->tcm_handle != kClass || object->tcm_ifindex != interface_index_) return;
    traffic = traffic_from(message);
    found = true;
  });
  if (!found) {
    throw std::system_error{
        ENODEV, std::generic_category(),
        fmt::format("found no HTB class 1:1 on interface {}, whose traffic pacbench counts",
                    interface_index_)};
  }
  return traffic;
}

DeviceTraffic device_traffic(const std::string& device) {
  return device_traffic(device, read_file("/proc/thread-self/net/dev"));
}

DeviceTraffic device_traffic(const std::string& device, const std::string& devices) {
  // The columns are bytes, packets, errors, drops and four other counters, first for received
  // traffic, then for sent.
  constexpr std::size_t kColumnsEach = 8;
  std::istringstream text{devices};
  for (std::string line; std::getline(text, line);) {
    std::istringstream words{line};
    std::string name;
    if (!std::getline(words >> std::ws, name, ':') || name != device) continue;
    std::array<std::int64_t, 2 * kColumnsEach> columns{};
    for (auto& column : columns) words >> column;
    if (!words) break;
    const auto traffic_at = [&](std::size_t first) {
      return Traffic{columns[first], columns[first + 1], columns[first + 3]};
    };
    return {traffic_at(kColumnsEach), traffic_at(0)};
  }
  throw std::runtime_error{"found no line with all counters of network device " + device +
                           " in /proc/net/dev"};
}

std::int64_t retransmitted_segments() {
  // /proc/net would show the namespace of the process's first thread, so this reads the calling
  // thread's own file.
  return retransmitted_segments(read_file("/proc/thread-self/net/snmp"));
}

std::int64_t retransmitted_segments(const std::string& snmp) {
  std::istringstream text{snmp};
  std::string names;
  std::string values;
  while (std::getline(text, names) && std::getline(text, values)) {
    if (!names.starts_with("Tcp:")) continue;
    std::istringstream name{names};
    std::istringstream value{values};
    for (std::string word, number; name >> word && value >> number;) {
      if (word == "RetransSegs") return std::stoll(number);
    }
  }
  throw std::runtime_error{"found no TCP counter RetransSegs in /proc/net/snmp"};
}

}  // namespace pacbench
