#pragma once

#include <string>

#include "contract/scenario/scenario.h"

namespace pacbench {

/// Completes the folder of the users' classes that a scenario names, whose other keys have been
/// read, and reports through `reader` what such classes cannot do.
void read_users_classes(ObjectReader& reader, const std::string& source, Scenario& scenario);

}  // namespace pacbench
