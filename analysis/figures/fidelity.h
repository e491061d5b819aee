#pragma once

#include "analysis/figures/panels.h"

namespace pacbench::figures {

/// How far the links and the host were as declared, for each link: every cell with its status and
/// verdicts, and every probe with its flows. Throws ConfigError naming file and line when
/// probes.jsonl cannot be read.
Json fidelity(const FigureSource& source);

/// The manifest of each run without the scenario; null where there is none. Throws ConfigError
/// naming the file when it is no manifest.
Json environments(const std::vector<store::NamedResult>& runs);

}  // namespace pacbench::figures
