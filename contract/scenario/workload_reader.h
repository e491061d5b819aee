#pragma once

#include "contract/scenario/scenario.h"

namespace pacbench {

/// Reads the workload of a scenario and reports its mistakes through `reader`. A file that it
/// names is relative to the folder of `source`.
Workload read_workload(ObjectReader reader, const Catalogue& catalogue, const std::string& source);

Json workload_schema(const Catalogue& catalogue);

}  // namespace pacbench
