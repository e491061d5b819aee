#include "harness/probes/features.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/fabric/features.h"
#include "harness/links/daemon_connection.h"
#include "harness/record/probe_plan.h"

namespace pacbench::probes {
namespace {

constexpr int kReplyTimeoutMs = 60'000;

}  // namespace

std::vector<netd::Feature> ask_features(const std::string& daemon) {
  links::DaemonConnection connection{daemon};
  std::optional<Message> reply;
  try {
    connection.socket().send(netd::features_request());
    if (links::readable(connection.fd(), kReplyTimeoutMs)) reply = connection.socket().receive();
  } catch (const std::exception&) {
    // The connection broke; how the daemon ended says more than this error.
  }
  if (!reply) throw ProtocolError{"cannot ask which features this kernel has: " + connection.end()};
  if (netd::type_of(reply->body) == "error") {
    throw ProtocolError{reply->body.value("message", "pacbench-netd failed")};
  }
  return netd::features_reply_from_json(reply->body);
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
    const auto found = std::find_if(features.begin(), features.end(), [&](const auto& feature) {
      return feature.name == need.feature;
    });
    if (found == features.end() || found->ok) continue;
    issues.push_back(
        {need.pointer,
         fmt::format("{} is needed for {}, but this kernel does not have it: {}. {}", need.feature,
                     need.purpose, found->reason, netd::cure(need.feature))});
  }
  if (!issues.empty()) throw ConfigError{source, issues};
}

}  // namespace pacbench::probes
