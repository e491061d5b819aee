#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string_view>

#include "base/json/read_keys.h"
#include "contract/network/link_reader.h"
#include "contract/network/network_keys.h"

namespace pacbench {
namespace {

constexpr int kMostGroups = netd::CreateRequest::kMaxSwitches - 1;  // one switch is the core

std::vector<int> read_sizes(ObjectReader& reader, const char* key) {
  std::vector<int> sizes;
  for (const auto size : reader.integers(key, {1.0, 1.0 * kMostOnASwitch, false})) {
    sizes.push_back(static_cast<int>(size));
  }
  return sizes;
}

/// Says what is wrong with the group sizes; empty when nothing is.
std::string fault_of_groups(const std::string& topology, const std::vector<int>& sizes,
                            int workers) {
  const auto count = static_cast<int>(sizes.size());
  if (topology == "chain3" && count != 3) {
    return fmt::format("found {} numbers, expected three: a chain3 has three switches", count);
  }
  if (topology == "groups" && (count < 2 || count > kMostGroups)) {
    return fmt::format("found {} sites, expected 2 to {}", count, kMostGroups);
  }
  const int sum = std::accumulate(sizes.begin(), sizes.end(), 0);
  if (sum == workers) return "";
  return fmt::format("{} make {} workers, but the scenario has {}", fmt::join(sizes, " + "), sum,
                     workers);
}

/// The switches of a network and the workers on each.
struct Layout {
  std::string topology = "star";
  std::vector<int> groups;
  std::vector<int> shape;
};

const TopologyInfo& info_of(const std::string& topology) {
  const auto& all = topologies();
  return *std::find_if(all.begin(), all.end(),
                       [&](const TopologyInfo& one) { return one.name == topology; });
}

/// Says what is wrong with a shape; empty when nothing is.
std::string fault_of_shape(const TopologyInfo& info, const std::vector<int>& shape, int workers) {
  const auto most = info.shape.size();
  const bool may_lack_one = most == info.workers_from && most == 3;
  if (shape.size() != most && !(may_lack_one && shape.size() + 1 == most)) {
    return fmt::format("found {} numbers, expected {}{}: {}{}", shape.size(),
                       may_lack_one ? "2 or " : "", most, fmt::join(info.shape, ", "),
                       may_lack_one ? " (not the last one for two dimensions)" : "");
  }
  const auto last =
      shape.begin() + static_cast<std::ptrdiff_t>(std::min(info.workers_from, shape.size()));
  const auto product =
      std::accumulate(shape.begin(), last, std::int64_t{1}, std::multiplies<std::int64_t>{});
  // In each group, router j of the first chassis holds the link to group j. So a chassis needs as
  // many routers as there are groups.
  if (std::string_view{info.name} == "dragonfly" && shape[0] > shape[2]) {
    return fmt::format(
        "found {} groups and {} routers of each chassis, expected at least as many routers as "
        "groups",
        shape[0], shape[2]);
  }
  if (product == workers) return "";
  return fmt::format("{} make {} workers, but the scenario has {}",
                     fmt::join(shape.begin(), last, " × "), product, workers);
}

std::vector<int> read_shape(ObjectReader& reader, const std::string& topology, int workers) {
  const auto& info = info_of(topology);
  if (info.shape.empty()) {
    if (!reader.raw("shape").is_null()) {
      reader.complain("shape", fmt::format("a {} has no shape; leave this out", topology));
    }
    return {};
  }
  if (!reader.has("shape")) {
    reader.complain("shape", fmt::format("missing, expected {}", fmt::join(info.shape, ", ")));
    return {};
  }
  auto shape = read_sizes(reader, "shape");
  if (!reader.raw("shape").is_array() || shape.size() != reader.raw("shape").size()) return {};
  const auto fault = fault_of_shape(info, shape, workers);
  if (!fault.empty()) reader.complain("shape", fault);
  return shape;
}

std::vector<int> read_groups(ObjectReader& reader, const std::string& topology, int workers) {
  if (topology != "chain3" && topology != "groups") {
    if (!reader.raw("groups").is_null()) {
      reader.complain("groups", fmt::format("a {} has {}no groups; leave this out, or give "
                                            "topology \"chain3\" or \"groups\" beside it",
                                            topology, topology == "star" ? "one switch and " : ""));
    }
    return {};
  }
  if (topology == "chain3" && !reader.has("groups")) {
    if (workers >= 3) return thirds(workers);
    reader.complain("topology", fmt::format("found {} workers for the three switches of a chain3, "
                                            "expected at least 3",
                                            workers));
    return {};
  }
  if (!reader.has("groups")) {
    reader.complain("groups", "missing, expected how many workers each site has, such as [4, 4]");
    return {};
  }
  auto sizes = read_sizes(reader, "groups");
  // Each number that is wrong by itself has been reported, and is missing from `sizes`.
  if (!reader.raw("groups").is_array() || sizes.size() != reader.raw("groups").size()) return {};
  const auto fault = fault_of_groups(topology, sizes, workers);
  if (!fault.empty()) reader.complain("groups", fault);
  return sizes;
}

/// Reads the layout of a network, or of a link. A link that gives none has `otherwise`, its
/// network's layout.
Layout read_layout(ObjectReader& reader, const Layout& otherwise, int workers) {
  if (!reader.has("topology") && !reader.has("groups") && !reader.has("shape")) return otherwise;
  std::vector<std::string> names;
  for (const auto& topology : topologies()) names.emplace_back(topology.name);
  Layout layout{reader.choice_or("topology", otherwise.topology, names), {}, {}};
  layout.groups = read_groups(reader, layout.topology, workers);
  layout.shape = read_shape(reader, layout.topology, workers);
  return layout;
}

void check_name(ObjectReader& reader, const std::string& name, std::set<std::string>& names) {
  if (name.empty() || names.insert(name).second) return;
  reader.complain(
      "name", fmt::format("found two links with the name \"{}\", expected different names", name));
}

}  // namespace

Network read_network(ObjectReader reader, int workers, const std::string& source) {
  Network network;
  const auto layout = read_layout(reader, {}, workers);
  network.topology = layout.topology;
  network.groups = layout.groups;
  network.shape = layout.shape;
  read_keys(reader, network);
  std::set<std::string> link_names;
  for (auto& link : reader.objects("links")) {
    const auto own = read_layout(link, layout, workers);
    network.links.push_back(read_link(link, {workers, has_edge(own.topology), source}));
    network.links.back().topology = own.topology;
    network.links.back().groups = own.groups;
    network.links.back().shape = own.shape;
    check_name(link, network.links.back().name, link_names);
  }
  const auto& links = reader.raw("links");
  if (links.is_array() && links.empty()) {
    reader.complain("links", "expected at least one link");
  }
  reader.finish();
  return network;
}

}  // namespace pacbench
