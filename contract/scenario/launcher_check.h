#pragma once

#include <string>

#include "contract/scenario/scenario.h"

namespace pacbench {

/// Throws ConfigError naming `source` where the program of a scenario is started by a launcher
/// (contract/scenario/launcher.h). The message has the line to write instead. Reading a scenario
/// does not check this, so that recorded runs stay readable.
void refuse_launchers(const std::string& source, const Scenario& scenario);

}  // namespace pacbench
