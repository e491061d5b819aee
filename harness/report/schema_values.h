#pragma once

#include "spec/schema_parts.h"

/// What statistics/spread_json.h writes, for the schemas of the report and of the figures.
namespace pacbench::schema {

Json spread();    ///< or null
Json censored();  ///< of a time or a count that need not have been reached
Json interval();  ///< or null

}  // namespace pacbench::schema
