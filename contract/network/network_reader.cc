#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string_view>

#include "base/json/read_keys.h"
#include "contract/network/network.h"
#include "contract/network/rate_schedule_reader.h"

namespace pacbench {
namespace {

using link_bounds::kRateMbit;

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

std::optional<double> given(ObjectReader& reader, const char* key, const Range& range) {
  const double value = reader.number_or(key, -1, range);
  return reader.has(key) && value >= 0 ? std::optional{value} : std::nullopt;
}

void check_impairment(ObjectReader& reader, const netd::Impairment& impairment) {
  if (impairment.jitter_ms > impairment.delay_ms) {
    reader.complain("jitter_ms", fmt::format("found {} ms, more than the delay of {} ms: a packet "
                                             "cannot arrive before it is sent; expected at most "
                                             "delay_ms",
                                             impairment.jitter_ms, impairment.delay_ms));
  }
  if (impairment.reorder > 0 && impairment.delay_ms == 0) {
    reader.complain("reorder",
                    "a reordered packet overtakes delayed ones, but delay_ms is 0 here; expected a "
                    "delay_ms above 0");
  }
}

/// Reads the rates of both directions. A direction without a rate of its own has rate_mbit. With a
/// schedule both begin with the rate of its first step.
void read_rates(ObjectReader& reader, LinkProfile& link) {
  if (link.measured && !reader.has("rate_mbit") && !reader.has("up_mbit")) return;
  const bool scheduled = reader.has("schedule");
  const bool both = reader.has("up_mbit") && reader.has("down_mbit");
  const double rate_mbit = scheduled || both ? reader.number_or("rate_mbit", 1, kRateMbit)
                                             : reader.number("rate_mbit", kRateMbit);
  link.up_mbit = reader.number_or("up_mbit", rate_mbit, kRateMbit);
  link.down_mbit = reader.number_or("down_mbit", rate_mbit, kRateMbit);
  if (!scheduled) return;
  for (const char* key : {"up_mbit", "down_mbit"}) {
    if (!reader.has(key)) continue;
    reader.complain(key,
                    "found a rate of one direction beside a schedule, which sets the rate of both; "
                    "leave this out");
  }
  if (link.schedule.any()) {
    link.up_mbit = link.down_mbit = link.schedule.steps.front().rate_mbit;
  }
}

void check_worker(ObjectReader& reader, const std::string& pointer, int worker, int workers) {
  if (worker < workers) return;
  reader.complain_at(pointer,
                     fmt::format("found {}, expected a number in [0, {}]", worker, workers - 1));
}

LinkOverride read_override(ObjectReader& reader, int workers) {
  LinkOverride entry;
  read_keys(reader, entry);
  check_worker(reader, "worker", entry.worker, workers);
  const auto rate_mbit = given(reader, "rate_mbit", kRateMbit);
  entry.up_mbit = given(reader, "up_mbit", kRateMbit);
  entry.down_mbit = given(reader, "down_mbit", kRateMbit);
  if (!entry.up_mbit) entry.up_mbit = rate_mbit;
  if (!entry.down_mbit) entry.down_mbit = rate_mbit;
  return entry;
}

void read_overrides(ObjectReader& link_reader, int workers, LinkProfile& link) {
  if (!link_reader.has("overrides")) return;
  std::set<int> seen;
  for (auto& reader : link_reader.objects("overrides")) {
    auto entry = read_override(reader, workers);
    if (reader.has("worker") && !seen.insert(entry.worker).second) {
      reader.complain("worker",
                      fmt::format("found worker {} twice, expected it once", entry.worker));
    }
    check_impairment(reader,
                     overridden(entry, link.has_edge() ? netd::Impairment{} : link.impairment));
    reader.finish();
    link.overrides.push_back(entry);
  }
}

void check_loads(ObjectReader& reader, const std::vector<Load>& loads, int workers) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    check_worker(reader, fmt::format("load/{}/from", i), loads[i].from, workers);
    check_worker(reader, fmt::format("load/{}/to", i), loads[i].to, workers);
  }
}

/// Complains of keys that would change a measured link, which exists already.
void check_measured(ObjectReader& reader, const LinkProfile& link) {
  for (const char* key : {"delay_ms", "jitter_ms", "loss", "reorder", "queue_kb", "overrides",
                          "schedule", "load", "edge_mbit"}) {
    if (!reader.has(key)) continue;
    reader.complain(key, "a measured link is used as it is and cannot be changed; leave this out");
  }
  if (link.has_edge()) {
    reader.complain("measured",
                    "found a measured link in a network of several switches, expected a star: only "
                    "each node's own link is measured");
  }
}

/// Reads one link profile, whose layout the caller has read. Traces are relative to the folder of
/// `source`.
LinkProfile read_link(ObjectReader& reader, const Layout& layout, int workers,
                      const std::string& source) {
  LinkProfile link;
  link.topology = layout.topology;
  link.groups = layout.groups;
  link.shape = layout.shape;
  read_keys(reader, link);
  if (reader.has("schedule")) {
    link.schedule = read_rate_schedule(reader.object("schedule"), source);
  }
  if (link.measured) check_measured(reader, link);
  read_rates(reader, link);
  check_impairment(reader, link.impairment);
  if (!link.has_edge() && reader.has("edge_mbit")) {
    reader.complain("edge_mbit",
                    "found edge_mbit in a topology where rate_mbit is the rate of the "
                    "workers' links; leave edge_mbit out");
  }
  read_overrides(reader, workers, link);
  check_loads(reader, link.loads, workers);
  reader.finish();
  return link;
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
    network.links.push_back(read_link(link, own, workers, source));
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
