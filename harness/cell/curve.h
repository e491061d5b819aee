#pragma once

#include <string>
#include <vector>

#include "harness/cell/files.h"
#include "spec/worker_event.h"

namespace pacbench::cell {

/// The evaluations of a cell, in their order; none when there is no curve.jsonl. Throws as
/// for_each_event does, and ConfigError naming file and line when one cannot be read.
std::vector<EvaluationEvent> read_curve(const std::string& cell_folder,
                                        Broken broken = Broken::kRefuse);

}  // namespace pacbench::cell
