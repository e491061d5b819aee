#pragma once

#include <string>

#include "base/json/json_reader.h"

namespace pacbench::plan {

/// Applies one `--set /json/pointer=VALUE` to a scenario as it was read, before it is validated.
/// VALUE is JSON; what is not JSON is taken as a string. Everything but the last part of the
/// pointer must be there. The last part may be a new key of an object, which validation judges
/// later, but not a new element of an array. Throws ConfigError.
void apply_override(Json& scenario, const std::string& assignment);

}  // namespace pacbench::plan
