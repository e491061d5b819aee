#pragma once

#include <string>

namespace pacbench {

/// This host's own name. Throws std::system_error.
std::string host_name();

}  // namespace pacbench
