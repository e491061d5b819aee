#pragma once

#include <string>

#include "base/json_reader.h"

namespace pacbench::testing {

/// What a JSON Schema validator says first about `document`; empty when it is valid.
std::string first_schema_error(const Json& schema, const Json& document);

}  // namespace pacbench::testing
