#pragma once

#include "base/schema_parts.h"

/// Schemas of the values that statistics/spread_json.h writes, for report and figures.
namespace pacbench::report {

Json spread_schema();    ///< or null
Json censored_schema();  ///< of a time or a count that need not have been reached
Json interval_schema();  ///< or null
Json scaling_series_schema();

}  // namespace pacbench::report
