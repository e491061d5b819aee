#pragma once

#include <cstdint>
#include <string>

#include "contract/profile/profile.h"

namespace pacbench {

struct Scenario;

/// Mode compose: what stands in the place of computing, and where learning curves come from.
struct Compose {
  Profile profile;
  /// Path of the profile's sample; empty when the profile stood in the scenario itself, as it does
  /// in the canonical form: such a scenario can be read but not run.
  std::string sample;
  std::string curve;             ///< results folder of a run that trained; empty: no curve
  std::int64_t iterations = 30;  ///< of each cell that cross the links
  /// On the clock: no more iterations than fit, to judge by the first four; 0: all.
  double cell_s = 0;
  /// here: methods encode and decode on this CPU, which workers share; profile: they call what the
  /// profile says that they call, and sleep for as long as the rest takes a worker that is alone.
  std::string exchange = "here";
};

/// Fewer have no scatter to speak of.
constexpr std::int64_t kLeastComposed = 4;

/// The number of iterations of a cell that fit, when its first four took `first_s`.
std::int64_t iterations_that_fit(const Compose& compose, double first_s);

inline bool replays_exchanges(const Compose& compose) { return compose.exchange == "profile"; }

/// Reads "compose" of a scenario at `source`: a profile's path is relative to it. What is wrong is
/// told through `reader`.
Compose read_compose(ObjectReader reader, const std::string& source);

/// In another mode: keys and their types are looked at, files are not, which may be yet to come.
void check_unused_compose(ObjectReader reader);

/// With exchange "profile", complains of each method whose exchanges the profile lacks.
void check_exchanges(const Scenario& scenario, std::vector<Issue>& issues);

Json to_json(const Compose& compose);

Json compose_schema();

}  // namespace pacbench
