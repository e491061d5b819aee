#pragma once

#include "contract/scenario/scenario.h"

namespace pacbench::cell {

/// Checks before the first cell what would fail each of them: that the program's folder exists and
/// may be entered, and that the first word of each method's command is a program. Ranks run as the
/// caller without capabilities: of root too a folder above may keep them out, such as a home with
/// mode 0700. Throws ConfigError, which names what was found and what to change. Checks nothing
/// where the scenario has no program.
void require_program(const Scenario& scenario);

}  // namespace pacbench::cell
