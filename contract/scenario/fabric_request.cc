#include "contract/scenario/fabric_request.h"

#include "base/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contract/fabric/dilated.h"
#include "contract/fabric/fabric_spec.h"

namespace pacbench {
namespace {

netd::Direction direction(double rate_mbit, const LinkProfile& link) {
  return {rate_mbit, link.queue_kb * 1024, link.impairment};
}

netd::Direction edge(const LinkProfile& link) { return {link.edge_mbit, 0, {}}; }

/// The links of the workers in the order of ranks: groups[i] of them on switch first + i.
std::vector<netd::WorkerLink> workers_on(const std::vector<int>& groups, int first,
                                         const netd::Direction& each) {
  std::vector<netd::WorkerLink> workers;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const netd::WorkerLink worker{first + static_cast<int>(i), each, each};
    workers.insert(workers.end(), static_cast<std::size_t>(groups[i]), worker);
  }
  return workers;
}

netd::CreateRequest declared(const Scenario& scenario, const LinkProfile& link) {
  const auto up = direction(link.up_mbit, link);
  const auto down = direction(link.down_mbit, link);
  netd::CreateRequest request;
  request.shaper = netd::usual_shaper(std::max(link.up_mbit, link.down_mbit));
  if (link.topology == "star") {
    request.workers.assign(static_cast<std::size_t>(scenario.workers), {0, up, down});
  } else if (link.topology == "chain3") {
    request.switches = 3;
    request.trunks = {{0, 1, up, down}, {1, 2, up, down}};
    request.workers = workers_on(link.groups, 0, edge(link));
  } else {
    const auto sites = static_cast<int>(link.groups.size());
    request.switches = sites + 1;
    for (int site = 0; site < sites; ++site) request.trunks.push_back({site + 1, 0, up, down});
    request.workers = workers_on(link.groups, 1, edge(link));
  }
  return request;
}

void override_direction(netd::Direction& direction, const LinkOverride& entry,
                        const std::optional<double>& rate_mbit) {
  direction.rate_mbit = rate_mbit.value_or(direction.rate_mbit);
  direction.impairment = overridden(entry, direction.impairment);
  if (entry.queue_kb) direction.queue_bytes = *entry.queue_kb * 1024;
}

const LinkOverride* override_of(const LinkProfile& link, int worker) {
  const auto found =
      std::find_if(link.overrides.begin(), link.overrides.end(),
                   [&](const LinkOverride& entry) { return entry.worker == worker; });
  return found == link.overrides.end() ? nullptr : &*found;
}

std::vector<std::string> trunk_directions(const netd::CreateRequest& request) {
  auto names = netd::direction_names(request);
  names.erase(names.begin(),
              names.begin() + 2 * static_cast<std::ptrdiff_t>(request.workers.size()));
  return names;
}

/// Returns the link at the highest rate of its schedule, with the schedule removed.
LinkProfile at_its_fastest(LinkProfile link) {
  for (const auto& step : link.schedule.steps) {
    link.up_mbit = link.down_mbit = std::max(link.up_mbit, step.rate_mbit);
  }
  link.schedule = {};
  return link;
}

/// Sizes queues, packets and token buckets for the fastest rates, and tells these rates to the
/// daemon, which sizes buffers for them. These sizes stay the same while a schedule changes rates.
void make_room(netd::CreateRequest& request, const netd::CreateRequest& fastest) {
  request.shaper = fastest.shaper;
  netd::for_each_direction(request, [&](netd::Direction& direction, const std::string& name) {
    direction.queue_bytes = netd::queue_bytes(fastest, name);
    direction.most_rate_mbit = netd::find_direction(fastest, name)->rate_mbit;
  });
}

}  // namespace

double shaped_share(const Network& network) {
  if (network.rate_accounting != "wire") return 1.0;
  return static_cast<double>(frame_bytes(network.mtu)) /
         static_cast<double>(network.mtu + kWireFramingBytes);
}

netd::CreateRequest fabric_request(const Scenario& scenario, const LinkProfile& link) {
  auto request = declared(scenario, link);
  for (const auto& entry : link.overrides) {
    auto& worker = request.workers.at(static_cast<std::size_t>(entry.worker));
    override_direction(worker.up, entry, entry.up_mbit);
    override_direction(worker.down, entry, entry.down_mbit);
  }
  const double share = shaped_share(scenario.network);
  netd::for_each_direction(request, [&](netd::Direction& direction, const std::string&) {
    direction.rate_mbit *= share;
  });
  request.mtu = scenario.network.mtu;
  request.congestion_control = scenario.network.congestion_control;
  request.control_network = scenario.program.has_value();
  request.measured = link.measured;
  if (link.schedule.any()) make_room(request, fabric_request(scenario, at_its_fastest(link)));
  return request;
}

netd::CreateRequest daemon_request(const Scenario& scenario, const LinkProfile& link) {
  return netd::dilated(fabric_request(scenario, link), scenario.time_dilation.factor);
}

std::vector<std::string> profiled_directions(const Scenario& scenario, const LinkProfile& link) {
  const auto request = declared(scenario, link);
  if (!request.trunks.empty()) return trunk_directions(request);
  std::vector<std::string> names;
  for (int worker = 0; worker < scenario.workers; ++worker) {
    const auto* entry = override_of(link, worker);
    if (entry == nullptr || !entry->up_mbit) names.push_back(netd::up_name(worker));
    if (entry == nullptr || !entry->down_mbit) names.push_back(netd::down_name(worker));
  }
  return names;
}

netd::ScheduleRequest schedule_request(const Scenario& scenario, const LinkProfile& link) {
  const double share = shaped_share(scenario.network);
  netd::ScheduleRequest request;
  request.directions = profiled_directions(scenario, link);
  for (const auto& step : link.schedule.steps) {
    request.steps.push_back({std::llround(step.at_s * 1000), step.rate_mbit * share});
  }
  request.repeat_ms = std::llround(link.schedule.repeat_s * 1000);
  return request;
}

int ring_flows_over(const netd::CreateRequest& request, const std::string& direction) {
  const auto workers = static_cast<int>(request.workers.size());
  int flows = 0;
  for (int from = 0; from < workers; ++from) {
    const auto crossed = netd::route(request, from, (from + 1) % workers);
    flows += static_cast<int>(std::count(crossed.begin(), crossed.end(), direction));
  }
  return flows;
}

std::vector<Issue> fabric_issues(const Scenario& scenario) {
  std::vector<Issue> issues;
  for (std::size_t i = 0; i < scenario.network.links.size(); ++i) {
    const auto& link = scenario.network.links[i];
    if (link.is_unknown()) continue;
    const auto found = netd::contradictions(daemon_request(scenario, link));
    if (found.empty()) continue;
    // Only the first issue is reported, since the profile's other links mostly repeat it.
    const bool queue = found.front().pointer.ends_with("queue_bytes") && link.queue_kb != 0;
    issues.push_back(
        {fmt::format("/network/links/{}{}", i, queue ? "/queue_kb" : ""), found.front().message});
  }
  return issues;
}

}  // namespace pacbench
