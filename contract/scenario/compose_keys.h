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

}  // namespace pacbench
