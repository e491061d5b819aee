#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "harness/machine/programs.h"

namespace pacbench::doctor {

/// One thing that a machine has or lacks.
struct Finding {
  std::string what;
  bool ok = false;
  bool needed = false;  ///< without it most runs are impossible
  std::string found;
  // These count only when not `ok`, and may be empty.
  std::string remedy;     ///< how to get it
  std::string without{};  ///< what is lost without it
};

/// Looks at what most runs depend on. Links are tried by making and removing a small fabric in
/// namespaces of its own.
std::vector<Finding> examine_machine(const Programs& programs);

/// A finding for each feature of links, as the daemon found it, or one finding that says why the
/// daemon cannot be asked.
std::vector<Finding> feature_findings(const std::string& daemon);

/// The findings for the features that a daemon has reported. Features that every link uses are
/// needed. Steering, congestion controls and the features for delay and loss are not.
std::vector<Finding> findings_of(const std::vector<netd::Feature>& features);

/// Whether every run that needs nothing special is possible.
bool is_usable(const std::vector<Finding>& findings);

/// A line for each finding, "yes" or "no" ("NO" when it is needed). Below a "no" or "NO" are the
/// remedy and what is lost without it, unless they are empty.
std::string render_text(const std::vector<Finding>& findings);

/// Format pacbench.doctor/1: {"format", "usable", "findings": [{"what", "ok", "needed", "found",
/// "cure", "without"}]}.
Json to_json(const std::vector<Finding>& findings);

}  // namespace pacbench::doctor
