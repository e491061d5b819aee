#pragma once

#include <functional>

#include "harness/path/asking.h"
#include "harness/path/figures.h"

namespace pacbench::path {

/// Measures the path to another machine: round trips, TCP each way alone, TCP both ways at once,
/// unpaced and paced, then datagrams each way. `say` gets the name of each part before the part
/// begins. Parts for which no time is left are left out. Throws as Asking does, and ProtocolError
/// when no ping is answered.
Measurement measure(Asking& asking, const Limits& limits,
                    const std::function<void(const std::string&)>& say);

}  // namespace pacbench::path
