#pragma once

#include <cstdint>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

/// Reads "seeds": at least one seed, and no seed twice.
std::vector<std::int64_t> read_seeds(ObjectReader& reader);

Json seeds_schema();

}  // namespace pacbench
