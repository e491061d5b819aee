#include "simulate/platform/simgrid_network.h"

#include <xbt/log.h>

#include <utility>

#include "simulate/platform/platform.h"

namespace pacbench::simulate {

namespace s4u = simgrid::s4u;

SimGridNetwork::SimGridNetwork(const SimulatedLinks& links, const Simulate& model)
    : links_{links}, engine_{"pacbench-simulate"}, bandwidth_factor_{model.bandwidth_factor} {
  // SimGrid reports its progress on standard error, which is kept for failures.
  xbt_log_control_set("root.thresh:warning");
  hosts_ = make_platform(links);
}

const Path& SimGridNetwork::path(int from, int to) {
  const auto key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
  const auto [place, is_new] = paths_.try_emplace(key);
  auto& path = place->second;
  if (!is_new) return path;
  std::vector<s4u::Link*> links;
  hosts_[static_cast<std::size_t>(from)]->route_to(hosts_[static_cast<std::size_t>(to)], links,
                                                   &path.latency_s);
  for (const auto* link : links) path.directions.push_back(number_of(*link));
  return path;
}

int SimGridNetwork::number_of(const s4u::Link& link) {
  const auto next = static_cast<int>(directions_.size());
  const auto [place, is_new] = numbers_.try_emplace(link.get_name(), next);
  if (is_new) {
    directions_.push_back(link.get_name());
    Service service{bandwidth_factor_ * link.get_bandwidth(), {}};
    if (links_.is_tree()) {
      const auto shaper = netd::shaper_of(links_.tree, link.get_name());
      service.bucket_bytes = static_cast<double>(shaper.ceil_burst_bytes);
    }
    services_.push_back(service);
  }
  return place->second;
}

}  // namespace pacbench::simulate
