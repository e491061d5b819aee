#pragma once

#include <string_view>

namespace pacbench::trainer {

/// The text of scenarios/data/digits.csv, as it was when the worker was built.
std::string_view embedded_digits();

/// The text of scenarios/data/tinyshakespeare.txt, as it was when the worker was built.
std::string_view embedded_shakespeare();

}  // namespace pacbench::trainer
