#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "harness/machine/programs.h"

namespace pacbench::doctor {

/// One thing that a machine has or lacks.
struct Finding {
  std::string what;
  bool ok = false;
  bool needed = false;  ///< without it most runs are impossible
  std::string found;
  std::string remedy;     ///< how to get it, which counts only when not `ok`; may be empty
  std::string without{};  ///< what is lost without it; empty if found, or if nothing is to be said
};

/// Looks at what most runs depend on. Links are tried by making and removing a small fabric in
/// namespaces of its own.
std::vector<Finding> examine_machine(const Programs& programs);

/// Whether every run that needs nothing special is possible.
bool is_usable(const std::vector<Finding>& findings);

/// A line for each finding, "yes" or "no" ("NO" when it is needed). Below a "no" or "NO" are the
/// remedy and what is lost without it, unless they are empty.
std::string render_text(const std::vector<Finding>& findings);

/// Format pacbench.doctor/1: {"format", "usable", "findings": [{"what", "ok", "needed", "found",
/// "cure", "without"}]}.
Json to_json(const std::vector<Finding>& findings);

}  // namespace pacbench::doctor
