#pragma once

#include <string>
#include <vector>

#include "contract/worker/worker_event.h"
#include "harness/store/files.h"

namespace pacbench::store {

/// The evaluations of a cell, in their order; none when there is no curve.jsonl. Throws as
/// for_each_event does, and ConfigError naming file and line when one cannot be read.
std::vector<EvaluationEvent> read_curve(const std::string& cell_folder,
                                        Broken broken = Broken::kRefuse);

}  // namespace pacbench::store
