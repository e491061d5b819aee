#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "harness/plan/plan.h"

namespace pacbench::probes {

/// The features that links can have on this machine. The daemon (named as for links::daemon_at())
/// tries each feature in a new namespace made for that trial. Throws ProtocolError when
/// the daemon refuses, has ended or does not answer, and std::system_error as
/// netd::Client does.
std::vector<netd::Feature> ask_features(const std::string& daemon);

/// A feature that a scenario's network needs and not every kernel has.
struct Need {
  std::string feature;
  std::string pointer;  ///< to what needs it
  std::string purpose;  ///< "delay, jitter, loss and reordering"
};

/// The needs of a scenario: netem and what it depends on, for each link profile that needs them,
/// and a congestion control other than cubic. Empty in modes learn and simulate.
std::vector<Need> needs_of(const Scenario& scenario);

/// Throws ConfigError naming `source` and every need that `features` lists as not working, with the
/// kernel's reason and what to do about it.
void require_features(const std::string& source, const std::vector<Need>& needs,
                      const std::vector<netd::Feature>& features);

}  // namespace pacbench::probes
