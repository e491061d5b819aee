#pragma once

#include <string>

#include "base/json/json_reader.h"

namespace pacbench::plan {

/// A link profile in words, for the heading of its tables: "100 Mbit/s each way, each worker".
/// `network` and `link` are in canonical form.
std::string link_words(const Json& network, const Json& link);

}  // namespace pacbench::plan
