#pragma once

#include <array>

#include "contract/profile/profile_keys.h"
#include "contract/scenario/compose.h"

/// The keys of "compose", for reader, writer and schema.
namespace pacbench {

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
      defaulted("iterations", &T::iterations, Range{1.0, 100'000.0},
                "of each cell that cross the links; in mode compose at least 4"),
      defaulted("cell_s", &T::cell_s, Range::at_least(0),
                "seconds on the clock: no more iterations than fit, to judge by the first four, "
                "which there always are; 0: all"),
      defaulted("exchange", &T::exchange, kExchanges,
                "whether methods encode and decode here, sharing this CPU, or sleep for as long as "
                "pacbench profile --exchanges found that it takes a worker that is alone")};
};

}  // namespace pacbench
