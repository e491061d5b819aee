#pragma once

#include <string>
#include <vector>

#include "harness/doctor/doctor.h"
#include "spec/netd_protocol.h"

namespace pacbench::doctor {

/// What links can be made of, one finding for each, as the daemon found it; one that says why when
/// it cannot be asked.
std::vector<Finding> feature_findings(const std::string& daemon);

/// Of features that are known. What every link needs is needed; a congestion control is not.
std::vector<Finding> findings_of(const std::vector<netd::Feature>& features);

}  // namespace pacbench::doctor
