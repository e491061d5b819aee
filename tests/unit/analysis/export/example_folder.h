#pragma once

#include <string>

#include "contract/catalogue/catalogue.h"
#include "contract/result/result.h"
#include "contract/worker/worker_event.h"

namespace pacbench::exports {

/// An iteration of 100 ms of rank `rank`. The exchanges of its two buckets overlap each other and
/// backward; the second exchange has two collectives.
IterationEvent example_iteration(int rank, std::int64_t iteration);

/// Writes a run's folder: manifest.json, result.json, and for each cell three iterations of two
/// ranks and the evaluation after each.
void write_example_folder(const std::string& folder, const RunResult& result);

/// A catalogue whose only data set is that of the example run, digits.
Catalogue example_catalogue();

}  // namespace pacbench::exports
