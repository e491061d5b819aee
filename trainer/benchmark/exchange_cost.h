#pragma once

#include <cstdint>

#include "contract/catalogue/choice.h"
#include "trainer/methods/bucket.h"

namespace pacbench::trainer {

/// The time that one of `ranks` ranks computes in an iteration's exchanges while nothing else runs.
/// Its collectives end at once, so that only encoding and decoding remain.
struct MeasuredCost {
  double wall_s = 0;  ///< median over iterations
  double cpu_s = 0;   ///< of this process, likewise
  std::int64_t sent_bytes = 0;
};

struct ExchangeRun {
  int ranks = 8;
  double rate_mbit = 0;  ///< of the link that the method is made for
  int first_iteration = 1;
  int iterations = 9;  ///< that are measured
};

/// Throws what the method throws.
MeasuredCost exchange_cost(const Choice& method, const Layout& layout, const ExchangeRun& run);

}  // namespace pacbench::trainer
