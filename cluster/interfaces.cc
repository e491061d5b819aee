#include "cluster/interfaces.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/check.h"

namespace pacbench::cluster {
namespace {

/// The IPv4 addresses of each interface that has any, by the interface's name.
std::map<std::string, std::vector<std::string>> addresses() {
  ifaddrs* first = nullptr;
  check("getifaddrs", ::getifaddrs(&first));
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{first, &::freeifaddrs};
  std::map<std::string, std::vector<std::string>> found;
  for (const auto* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
    ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
    found[entry->ifa_name].emplace_back(text.data());
  }
  return found;
}

}  // namespace

std::string address_of(const std::string& interface) {
  const auto all = addresses();
  if (const auto found = all.find(interface); found != all.end()) return found->second.front();
  throw std::runtime_error{fmt::format(
      "interface {} has no IPv4 address here; these interfaces have one: {}", interface, all)};
}

std::string interface_with(const std::string& address) {
  const auto all = addresses();
  for (const auto& [name, own] : all) {
    if (std::find(own.begin(), own.end(), address) != own.end()) return name;
  }
  throw std::runtime_error{
      fmt::format("no interface here has the address {}; the interfaces and their addresses: {}",
                  address, all)};
}

}  // namespace pacbench::cluster
