#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// The existing folders of this name that came with pacbench: ../share/pacbench/NAME as seen from
/// the program's folder, then NAME in the sources that it was built from.
std::vector<std::string> shipped_folders(const std::string& name);

}  // namespace pacbench
