#pragma once

#include "base/json/json_reader.h"

namespace pacbench::trainer {

/// Does the work of a worker, which `document` describes (WorkerSpec, or MeasureSpec): as a rank,
/// as all ranks of a cell, or alone. Events go to standard output. Returns the exit code. When a
/// rank fails, its last line tells why, and the process ends. Throws what other work throws.
int run_worker(const Json& document);

}  // namespace pacbench::trainer
