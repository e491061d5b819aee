#pragma once

#include "spec/schema_parts.h"

/// What statistics/spread_json.h writes, for the schemas of the report and of the figures.
namespace pacbench::report {

Json spread_schema();    ///< or null
Json censored_schema();  ///< of a time or a count that need not have been reached
Json interval_schema();  ///< or null

}  // namespace pacbench::report
