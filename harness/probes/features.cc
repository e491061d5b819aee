#include "harness/probes/features.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/fabric/features.h"
#include "contract/fabric/netd_client.h"
#include "harness/links/fabric.h"
#include "harness/record/probe_plan.h"

namespace pacbench::probes {

std::vector<netd::Feature> ask_features(const std::string& daemon) {
  netd::Client client{links::daemon_at(daemon)};
  try {
    return client.features();
  } catch (const ProtocolError& error) {
    throw ProtocolError{std::string{"cannot ask which features this kernel has: "} + error.what()};
  }
}

std::vector<Need> needs_of(const Scenario& scenario) {
  std::vector<Need> needs;
  if (!makes_links(scenario)) return needs;
  const auto links = link_profiles(scenario);
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (record::is_plain(fabric_request(scenario, links[i]))) continue;
    for (const char* name : {netd::feature::kNetem, netd::feature::kIfb, netd::feature::kMirred}) {
      needs.push_back(
          {name, fmt::format("/network/links/{}", i), "delay, jitter, loss and reordering"});
    }
  }
  if (const auto& name = scenario.network.congestion_control; name != "cubic") {
    needs.push_back({name, "/network/congestion_control", "this congestion control"});
  }
  return needs;
}

void require_features(const std::string& source, const std::vector<Need>& needs,
                      const std::vector<netd::Feature>& features) {
  std::vector<Issue> issues;
  for (const auto& need : needs) {
    const auto found = std::ranges::find(features, need.feature, &netd::Feature::name);
    if (found == features.end() || found->ok) continue;
    issues.push_back(
        {need.pointer,
         fmt::format("{} is needed for {}, but does not work here: {}. {}", need.feature,
                     need.purpose, found->reason, netd::cure(need.feature))});
  }
  if (!issues.empty()) throw ConfigError{source, issues};
}

}  // namespace pacbench::probes
