#pragma once

#include <functional>

#include "harness/path/asking.h"
#include "harness/path/figures.h"

namespace pacbench::path {

/// Measures the path to another machine: round trips, TCP each way alone and both ways at once,
/// then datagrams each way. `say` gets each part's name before it begins. Throws as Asking does.
Measurement measure(Asking& asking, const Limits& limits,
                    const std::function<void(const std::string&)>& say);

}  // namespace pacbench::path
