#pragma once

#include <cstdint>
#include <string>

#include "spec/profile.h"

namespace pacbench {

/// Mode compose: what stands in the place of computing, and where learning curves come from.
struct Compose {
  Profile profile;
  /// Path of the profile's sample; empty when the profile stood in the scenario itself, as it does
  /// in the canonical form: such a scenario can be read but not run.
  std::string sample;
  std::string curve;             ///< results folder of a run that trained; empty: no curve
  std::int64_t iterations = 30;  ///< of each cell that cross the links
};

/// Reads "compose" of a scenario at `source`: a profile's path is relative to it. What is wrong is
/// told through `reader`.
Compose read_compose(ObjectReader reader, const std::string& source);

/// In another mode: keys and their types are looked at, files are not, which may be yet to come.
void check_unused_compose(ObjectReader reader);

Json to_json(const Compose& compose);

Json compose_schema();

}  // namespace pacbench
