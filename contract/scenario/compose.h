#pragma once

#include <cstdint>
#include <string>

#include "contract/profile/profile.h"

namespace pacbench {

struct Scenario;

/// Mode compose: what stands in the place of computing, and where learning curves come from.
struct Compose {
  Profile profile;
  /// Path of the profile's sample; empty when the profile is in the scenario itself, as in the
  /// canonical form: such a scenario can be read but not run.
  std::string sample;
  std::string curve;             ///< results folder of a run that trained; empty: no curve
  std::int64_t iterations = 30;  ///< of each cell; their exchanges cross the links
  /// The time for a cell: it runs only as many iterations as fit, judged by the first four; 0: all.
  double cell_s = 0;
  /// here: methods encode and decode on this CPU, which workers share. profile: they make the calls
  /// that the profile lists, and sleep for as long as the rest takes a worker that is alone.
  std::string exchange = "here";
};

/// The fewest iterations of a cell: fewer give no useful scatter.
constexpr std::int64_t kLeastComposed = 4;

/// The number of iterations of a cell that fit, when its first four took `first_s`.
std::int64_t iterations_that_fit(const Compose& compose, double first_s);

inline bool replays_exchanges(const Compose& compose) { return compose.exchange == "profile"; }

/// Reads "compose" of a scenario at `source`: a profile's path is relative to its folder. Errors
/// are reported through `reader`.
Compose read_compose(ObjectReader reader, const std::string& source);

/// Checks "compose" in another mode: keys and their types, but no files, which may not exist yet.
void check_unused_compose(ObjectReader reader);

/// With exchange "profile", complains of each method whose exchanges the profile lacks.
void check_exchanges(const Scenario& scenario, std::vector<Issue>& issues);

Json to_json(const Compose& compose);

Json compose_schema();

}  // namespace pacbench
