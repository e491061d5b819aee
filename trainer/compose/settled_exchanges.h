#pragma once

#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "contract/worker/worker_event.h"
#include "trainer/compose/methods_in_turn.h"

namespace pacbench::trainer {

/// Buckets, `beside` and `iterations` of a profile's exchanges, from the traces of iterations in
/// which one bucket was exchanged after another: in each the buckets, and last what was called
/// beside them. The first half counts as settling. Of the second, each bucket's most frequent
/// sequence of collectives is taken, the latest where two are as frequent, so that what a method
/// does every so often is left out; times are medians over the iterations that have it.
/// Throws std::invalid_argument without iterations.
MethodExchanges settled_exchanges(const std::vector<std::vector<BucketTrace>>& iterations);

/// `ranks` and `iterations` of a profile's exchanges, from iterations of all ranks whose calls
/// repeat after `period`. The first half counts as settling. For each place in the period the most
/// frequent calls of all ranks together are taken, the latest where several are as frequent, since
/// what one rank sends another receives; times are medians over iterations with calls of the same
/// kinds. Throws std::invalid_argument when less than one period is left of the second half.
MethodExchanges settled_exchanges_of_ranks(
    const std::vector<std::vector<RecordedIteration>>& iterations, std::int64_t period);

}  // namespace pacbench::trainer
