#pragma once

#include "base/json/json_reader.h"

namespace pacbench::verify {

/// Returns `expected`, the numbers of a cell, with the reasons of verdicts in the words of `found`
/// where both reasons have the same numbers in them: a later pacbench may word a reason better.
Json in_recorded_words(const Json& found, Json expected);

}  // namespace pacbench::verify
