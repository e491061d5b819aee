#pragma once

#include <string>

#include "spec/result.h"

namespace pacbench {

/// The tables of a run as text for a terminal.
std::string render_text(const RunResult& result);

}  // namespace pacbench
