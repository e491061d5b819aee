#pragma once

#include <cstdint>

#include "contract/catalogue/choice.h"
#include "trainer/averaging/bucket.h"

namespace pacbench::trainer {

/// The cost of an iteration's exchanges for one rank of ExchangeRun::ranks, while nothing else
/// runs. This process is that rank alone: collectives only compute in its memory
/// (identical_ranks.h), so both times are mostly those of encoding and decoding.
struct MeasuredCost {
  double wall_s = 0;            ///< median over iterations
  double cpu_s = 0;             ///< median CPU time of this process
  std::int64_t sent_bytes = 0;  ///< by that rank in the last iteration
};

struct ExchangeRun {
  int ranks = 8;
  double rate_mbit = 0;  ///< of the link that the method is made for
  int first_iteration = 1;
  int iterations = 9;  ///< measured ones, after two that are not measured
};

/// Throws what the method throws.
MeasuredCost exchange_cost(const Choice& method, const Layout& layout, const ExchangeRun& run);

}  // namespace pacbench::trainer
