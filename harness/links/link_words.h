#pragma once

#include <string>

#include "base/json_reader.h"

namespace pacbench::links {

/// What a link profile is, for the heading of its tables: "100 Mbit/s each way, each worker".
/// Both are in canonical form.
std::string link_words(const Json& network, const Json& link);

}  // namespace pacbench::links
