// The commands of a plan as people could type them.
#include <fmt/format.h>

#include "netem/plan/fabric_plan.h"

namespace pacbench::netem {

NamespaceNames namespace_names(const std::vector<int>& workers) {
  NamespaceNames names{"switch", {}};
  for (const int worker : workers) names.workers[worker] = fmt::format("worker{}", worker);
  return names;
}

std::vector<std::string> typed_commands(const FabricPlan& plan) {
  const auto names = namespace_names(plan.workers);
  const auto name_of = [&](int place) {
    return place == Batch::kSwitch ? names.switches : names.workers.at(place);
  };
  auto places = plan.workers;
  places.insert(places.begin(), Batch::kSwitch);
  std::vector<std::string> commands;
  for (const int place : places) {
    commands.push_back("ip netns add " + name_of(place));
    commands.push_back(fmt::format(
        "ip netns exec {} sysctl -qw net.ipv6.conf.default.disable_ipv6=1", name_of(place)));
    if (place == Batch::kSwitch) continue;
    for (const auto& [name, value] : plan.sysctls) {
      commands.push_back(
          fmt::format("ip netns exec {} sysctl -qw {}='{}'", name_of(place), name, value));
    }
  }
  for (const auto& batch : plan.batches) {
    if (!batch.typed.empty()) {
      commands.push_back(
          fmt::format("ip netns exec {} sh -c '{}'", name_of(batch.place), batch.typed));
      continue;
    }
    const auto where =
        batch.place == Batch::kHost ? "" : fmt::format(" -n {}", name_of(batch.place));
    for (const auto& line : batch.lines) {
      commands.push_back(fmt::format("{}{} {}", batch.program, where, line));
    }
  }
  if (plan.steering_cpus.empty()) return commands;
  for (const int place : places) {
    commands.push_back(fmt::format(
        "ip netns exec {} sh -c 'for queue in /sys/class/net/*/queues/rx-*/rps_cpus; do echo {} "
        ">$queue; done'",
        name_of(place), plan.steering_cpus));
  }
  return commands;
}

}  // namespace pacbench::netem
