#pragma once

#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "contract/worker/worker_event.h"
#include "trainer/compose/methods_in_turn.h"

namespace pacbench::trainer {

/// Buckets, `beside` and `iterations` of a profile's exchanges, from the traces of iterations in
/// which one bucket was exchanged after another. Each iteration has the traces of its buckets, and
/// last that of calls beside them. The first half of the iterations counts as settling. From the
/// second half each bucket gets its most frequent sequence of collectives, the latest of equals, so
/// that rare calls are left out. Times are medians over the iterations with that sequence.
/// Throws std::invalid_argument without iterations.
MethodExchanges settled_exchanges(const std::vector<std::vector<BucketTrace>>& iterations);

/// `ranks` and `iterations` of a profile's exchanges, from iterations of all ranks whose calls
/// repeat after `period`. The first half counts as settling. For each place in the period it
/// uses the most frequent calls, the latest of equals. It compares the calls of all ranks together,
/// since what one rank sends another receives. Times are medians over iterations with calls of the
/// same kinds. Throws std::invalid_argument when less than one period is left of the second half.
MethodExchanges settled_exchanges_of_ranks(
    const std::vector<std::vector<RecordedIteration>>& iterations, std::int64_t period);

}  // namespace pacbench::trainer
