#pragma once

#include <optional>
#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "contract/profile/profile.h"
#include "contract/worker/worker_event.h"
#include "harness/plan/plan.h"

namespace pacbench::record {

/// The exchanges of the cell's method over its link. Throws std::invalid_argument when the
/// scenario's compose.profile has none.
const MethodExchanges& profiled_exchanges(const Scenario& scenario, const plan::Cell& cell);

/// The times that the ranks of a cell of mode compose were to sleep in place of work: for forward,
/// and until each bucket was ready. Where exchanges are replayed, ranks also sleep for encoding,
/// decoding and the optimiser. A rank that finds no CPU wakes up later, and the excess is not work.
class Sleeps {
 public:
  /// Throws std::invalid_argument when the scenario does not compose, or its compose.profile lacks
  /// exchanges that the cell is to replay.
  Sleeps(const Scenario& scenario, const plan::Cell& cell);

  /// The times of an iteration in which its rank overslept. Throws ProtocolError for a bucket that
  /// compose.profile lacks.
  std::vector<Span> late(const IterationEvent& event) const;

 private:
  struct Rank {
    DrawnIterations iterations;
    double factor = 1;  ///< slow workers sleep for longer
  };

  std::vector<Rank> ranks_;
  std::optional<MethodExchanges> replayed_;
};

/// The sleeps of a cell of mode compose; nothing for other modes, which replace no work by sleep.
std::optional<Sleeps> sleeps_of(const Scenario& scenario, const plan::Cell& cell);

}  // namespace pacbench::record
