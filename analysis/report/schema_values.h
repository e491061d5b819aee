#pragma once

#include "base/json/schema_parts.h"

/// Schemas of values that both reports and figures have: those that
/// harness/statistics/spread_json.h writes, and a series of scaling.h.
namespace pacbench::report {

Json spread_schema();    ///< of a spread or null
Json censored_schema();  ///< of a time or count to a target that may be missed
Json interval_schema();  ///< of an interval or null
Json scaling_series_schema();

}  // namespace pacbench::report
