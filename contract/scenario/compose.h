#pragma once

#include <array>
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
  std::string curve;  ///< empty: no curve
  std::int64_t iterations = 30;
  double cell_s = 0;
  std::string exchange = "here";
};

template <>
struct JsonFields<Compose> {
  using T = Compose;
  static constexpr std::array kExchanges{"here", "profile"};
  static constexpr std::tuple kAll{
      apart(required("profile", &T::profile, {},
                     "what pacbench profile wrote, as a path relative to the scenario")),
      defaulted("curve", &T::curve, Bounds::or_empty(),
                "results folder of a run in mode learn or emulate with the same workload, workers, "
                "methods and seeds; without it there is no TTA"),
      defaulted(
          "iterations", &T::iterations, Range{1.0, 100'000.0},
          "iterations of each cell whose exchanges cross the links; at least 4, except in mode "
          "simulate without a curve"),
      defaulted("cell_s", &T::cell_s, Range::at_least(0),
                "time limit of a cell in seconds: it runs only as many iterations as fit, judged "
                "by the first four, which always run; 0: no limit"),
      defaulted("exchange", &T::exchange, kExchanges,
                "here: methods encode and decode on this host, which workers share; profile: "
                "workers sleep for as long as encoding and decoding took one worker alone, as "
                "pacbench profile --exchanges measured it")};
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

}  // namespace pacbench
