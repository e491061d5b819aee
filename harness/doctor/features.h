#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "harness/doctor/doctor.h"

namespace pacbench::doctor {

/// A finding for each feature of links, as the daemon found it, or one finding that says why the
/// daemon cannot be asked.
std::vector<Finding> feature_findings(const std::string& daemon);

/// The findings for the features that a daemon has reported. Features that every link uses are
/// needed. Steering, congestion controls and the features for delay and loss are not.
std::vector<Finding> findings_of(const std::vector<netd::Feature>& features);

}  // namespace pacbench::doctor
