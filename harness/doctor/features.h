#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "harness/doctor/doctor.h"

namespace pacbench::doctor {

/// A finding for each feature of links, as the daemon found it, or one finding that says why the
/// daemon cannot be asked.
std::vector<Finding> feature_findings(const std::string& daemon);

/// The findings for known features. A feature that every link needs is required; a congestion
/// control is not.
std::vector<Finding> findings_of(const std::vector<netd::Feature>& features);

}  // namespace pacbench::doctor
