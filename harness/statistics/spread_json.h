#pragma once

#include <optional>

#include "base/json/json_reader.h"
#include "harness/statistics/interval.h"
#include "harness/statistics/spread.h"

namespace pacbench::statistics {

/// Converts statistics to JSON, with null for what is absent.
Json to_json(const std::optional<Spread>& value);
Json to_json(const CensoredSpread& value);
Json to_json(const std::optional<MedianInterval>& interval);

}  // namespace pacbench::statistics
