#pragma once

#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "contract/worker/worker_event.h"

namespace pacbench::trainer {

/// Buckets, `beside` and `iterations` of a profile's exchanges, from the traces of iterations in
/// which one bucket was exchanged after another: in each the buckets, and last what was called
/// beside them. The first half counts as settling. Of the second, each bucket's most frequent
/// sequence of collectives is taken, the latest where two are as frequent, so that what a method
/// does every so often is left out; times are medians over the iterations that have it.
/// Throws std::invalid_argument without iterations.
MethodExchanges settled_exchanges(const std::vector<std::vector<BucketTrace>>& iterations);

}  // namespace pacbench::trainer
