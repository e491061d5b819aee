#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// The folders of that name which came with pacbench and are there: share/pacbench/NAME beside an
/// installed program, then NAME in the sources that it was built from.
std::vector<std::string> shipped_folders(const std::string& name);

}  // namespace pacbench
