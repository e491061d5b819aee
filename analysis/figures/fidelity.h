#pragma once

#include "analysis/figures/panels.h"

namespace pacbench::figures {

/// Returns for each link the evidence of how far link and host can be trusted: every cell with its
/// status and verdicts, and every probe with its flows. Throws ConfigError naming file and line
/// when a line of probes.jsonl is no probe.
Json fidelity(const FigureSource& source);

/// The path and manifest of each run. The manifest lacks the scenario, and is null for a run
/// without manifest.json. Throws ConfigError naming the file when it is no manifest.
Json environments(const std::vector<store::NamedResult>& runs);

}  // namespace pacbench::figures
