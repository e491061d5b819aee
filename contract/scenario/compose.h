#pragma once

#include <cstdint>
#include <string>

#include "contract/profile/profile.h"

namespace pacbench {

struct Scenario;

/// The settings with which modes compose and simulate replace computing, and the source of their
/// learning curves.
struct Compose {
  Profile profile;
  /// Path of the profile's sample. Empty when the profile is in the scenario itself, as in the
  /// canonical form. Such a scenario can be read, but mode compose cannot run it.
  std::string sample;
  std::string curve;             ///< results folder of a run that trained; empty: no curve
  std::int64_t iterations = 30;  ///< of each cell; their exchanges cross the links
  /// The time limit of a cell in seconds. The cell runs only as many iterations as fit, judged by
  /// its first four. 0: it runs all of them.
  double cell_s = 0;
  /// here: methods encode and decode on this host, which workers share. profile: workers make the
  /// calls that the profile lists. Between calls they sleep for as long as the work takes a worker
  /// that is alone.
  std::string exchange = "here";
};

/// The fewest iterations of a cell of mode compose, and of a cell of mode simulate with a curve:
/// fewer give no useful scatter. Mode simulate without a curve may have fewer.
constexpr std::int64_t kLeastComposed = 4;

/// The number of iterations of a cell that fit, when its first kLeastComposed took `first_s`: at
/// least kLeastComposed, at most compose.iterations. All iterations fit when cell_s is 0.
std::int64_t iterations_that_fit(const Compose& compose, double first_s);

inline bool replays_exchanges(const Compose& compose) { return compose.exchange == "profile"; }

/// Reads "compose" of the scenario at `source`. A profile's path is relative to the scenario's
/// folder. Errors are reported through `reader`.
Compose read_compose(ObjectReader reader, const std::string& source);

/// Checks "compose" in a mode that does not use it: keys and their types, but no files, which may
/// not exist yet.
void check_unused_compose(ObjectReader reader);

/// With exchange "profile", complains of each method whose exchanges the profile lacks. Also
/// complains of fewer iterations than a method takes until its calls repeat.
void check_exchanges(const Scenario& scenario, std::vector<Issue>& issues);

Json to_json(const Compose& compose);

Json compose_schema();

}  // namespace pacbench
