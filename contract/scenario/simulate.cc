#include "contract/scenario/simulate.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/scenario/scenario.h"

namespace pacbench {
namespace {

void refuse(bool is_wrong, const std::string& pointer, const char* message,
            std::vector<Issue>& issues) {
  if (is_wrong) issues.push_back({pointer, message});
}

bool has_own_queue(const LinkProfile& link) {
  return link.queue_kb > 0 ||
         std::any_of(link.overrides.begin(), link.overrides.end(),
                     [](const auto& entry) { return entry.queue_kb.has_value(); });
}

bool changes_packets(const LinkProfile& link) {
  const auto has = [](const auto& part) {
    return part.jitter_ms > 0 || part.loss > 0 || part.reorder > 0;
  };
  if (has(link.impairment)) return true;
  for (const auto& entry : link.overrides) {
    if (entry.jitter_ms.value_or(0) > 0 || entry.loss.value_or(0) > 0 ||
        entry.reorder.value_or(0) > 0) {
      return true;
    }
  }
  return false;
}

void check_link(const LinkProfile& link, const std::string& pointer, std::vector<Issue>& issues) {
  refuse(link.schedule.any(), pointer + "/schedule",
         "found a schedule in mode simulate, expected a constant rate: only links that pacbench "
         "makes can follow a schedule (mode compose or emulate)",
         issues);
  refuse(!link.loads.empty(), pointer + "/load",
         "found a load in mode simulate, expected none: only links that pacbench makes carry loads "
         "(mode compose or emulate)",
         issues);
  refuse(changes_packets(link), pointer,
         "found jitter_ms, loss or reorder in mode simulate, expected none: simulated links lose "
         "and reorder nothing, and their delay is constant",
         issues);
  refuse(has_own_queue(link), pointer,
         "found queue_kb in mode simulate, expected none: simulated queues are never full", issues);
  refuse(is_simulated_only(link.topology) && link.up_mbit != link.down_mbit, pointer,
         "found different rates up and down in a topology whose links are all alike, expected "
         "rate_mbit",
         issues);
  refuse(is_simulated_only(link.topology) && !link.overrides.empty(), pointer + "/overrides",
         "found overrides in a topology whose links are all alike, expected none", issues);
}

void check_made_links(const Scenario& scenario, std::vector<Issue>& issues) {
  for (std::size_t i = 0; i < scenario.network.links.size(); ++i) {
    if (!is_simulated_only(scenario.network.links[i].topology)) continue;
    issues.push_back({fmt::format("/network/links/{}/topology", i),
                      fmt::format("found {} in mode {}, expected star, chain3 or groups: only mode "
                                  "simulate has the other topologies",
                                  scenario.network.links[i].topology, word_of(scenario.mode))});
  }
}

}  // namespace

void check_simulated(const Scenario& scenario, std::vector<Issue>& issues) {
  if (scenario.compose && runs_workers(scenario) && scenario.compose->iterations < kLeastComposed) {
    issues.push_back(
        {"/compose/iterations", fmt::format("found {}, expected at least {} in mode compose",
                                            scenario.compose->iterations, kLeastComposed)});
  }
  if (runs_workers(scenario)) return check_made_links(scenario, issues);
  refuse(!scenario.compose->curve.empty() && scenario.compose->iterations < kLeastComposed,
         "/compose/iterations",
         "found fewer than 4 beside a curve, expected at least 4: the times of the curve are "
         "computed from these iterations",
         issues);
  refuse(scenario.device != "cpu" || scenario.backend != "gloo", "/device",
         "found GPUs or NCCL in mode simulate, expected device \"cpu\" and backend \"gloo\": it "
         "simulates the algorithms of Gloo",
         issues);
  refuse(scenario.network.congestion_control != "cubic", "/network/congestion_control",
         "found another algorithm than cubic in mode simulate, expected \"cubic\": only cubic's "
         "window is simulated",
         issues);
  refuse(!replays_exchanges(*scenario.compose), "/compose/exchange",
         "found \"here\" (the default), expected \"profile\": mode simulate replays the exchanges "
         "that pacbench profile --exchanges recorded",
         issues);
  refuse(scenario.compose->cell_s > 0, "/compose/cell_s",
         "found a time limit in mode simulate, expected 0: compose.iterations sets the number of "
         "iterations",
         issues);
  for (std::size_t i = 0; i < scenario.network.links.size(); ++i) {
    check_link(scenario.network.links[i], fmt::format("/network/links/{}", i), issues);
  }
}

}  // namespace pacbench
