#pragma once

#include <string>

#include "base/json/json_reader.h"

namespace pacbench::testing {

/// The first complaint of a JSON Schema validator about `document`; empty when it is valid.
std::string first_schema_error(const Json& schema, const Json& document);

}  // namespace pacbench::testing
