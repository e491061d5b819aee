#pragma once

#include "base/json_reader.h"

namespace pacbench::verify {

/// Returns the numbers of a cell, `expected`, with those reasons of verdicts in `found`'s words
/// that name the same numbers. A later pacbench may word a reason better; what it measured stays.
Json in_recorded_words(const Json& found, Json expected);

}  // namespace pacbench::verify
