#pragma once

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test {

/// Exchanges `gradients`, of which all of rank 1's bucket 1 becomes NaN. A whole bucket, so that a
/// method that draws entries at random meets it. Expects a mean that is not finite, or a failure
/// of this rank and bucket, which must name them and the parameter where it is a Diverged.
/// `leaves_mean`: whether the method leaves every rank the mean; otherwise only the own rank's
/// result is looked at.
void expect_a_trace_of_nan(ThreadRanks& all, Gradients gradients, bool leaves_mean);

}  // namespace pacbench::trainer::test
