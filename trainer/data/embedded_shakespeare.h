#pragma once

#include <string_view>

namespace pacbench {

/// The text of scenarios/data/tinyshakespeare.txt, as it was when the worker was built.
std::string_view embedded_shakespeare();

}  // namespace pacbench
