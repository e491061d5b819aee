#pragma once

#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "contract/worker/worker_event.h"
#include "trainer/compose/ranks_in_turn.h"

namespace pacbench::trainer {

/// Returns a profile's exchanges with `buckets`, `beside` and `iterations` set. Each input
/// iteration has the traces of its buckets, which were exchanged one after another, and last the
/// trace of the calls after all buckets. The first half of the iterations is skipped, since a
/// method's calls may still change there. In the second half each bucket gets its most frequent
/// sequence of collectives, so that rare calls are left out; of equally frequent ones, the latest.
/// Times are medians over the iterations with that sequence. Throws std::invalid_argument without
/// iterations.
MethodExchanges settled_exchanges(const std::vector<std::vector<BucketTrace>>& iterations);

/// Returns a profile's exchanges with `ranks` and `iterations` set, from iterations of all ranks
/// whose calls repeat after `period`. The first half of the iterations, rounded up to whole
/// periods, is skipped. For each place in the period it uses the most frequent calls; of equally
/// frequent ones, the latest. It compares the calls of all ranks together, since what one rank
/// sends another receives. Times are medians over the iterations that call the same operations in
/// the same order, whatever their sizes. Throws std::invalid_argument when less than one period is
/// left.
MethodExchanges settled_exchanges_of_ranks(
    const std::vector<std::vector<RecordedIteration>>& iterations, std::int64_t period);

}  // namespace pacbench::trainer
