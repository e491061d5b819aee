#pragma once

#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <limits>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/averaging/averager.h"

namespace pacbench::trainer::test {

/// Exchanges `gradients`, of which all of rank 1's bucket 1 becomes NaN. A whole bucket, so that a
/// method that draws entries at random meets it. Expects a mean that is not finite, or a failure
/// of this rank and bucket, which must name them and the parameter where it is a Diverged.
/// `leaves_mean`: whether the method leaves every rank the mean; otherwise only the own rank's
/// result is looked at.
inline void expect_a_trace_of_nan(ThreadRanks& all, Gradients gradients, bool leaves_mean) {
  gradients[1][1].fill_(std::numeric_limits<float>::quiet_NaN());
  try {
    const auto mean = all.exchange(gradients)[leaves_mean ? 0 : 1][1];
    EXPECT_FALSE(at::isfinite(mean).all().item<bool>())
        << "bucket 1: rank 1's NaN left no trace in the mean";
  } catch (const std::runtime_error&) {
    ASSERT_TRUE(all.failures()[1][1]) << "rank 1, bucket 1: another one failed, not this";
    EXPECT_THAT([&] { std::rethrow_exception(all.failures()[1][1]); },
                ::testing::ThrowsMessage<Diverged>(
                    ::testing::HasSubstr("rank 1, bucket 1: the gradient of parameter2")));
  }
}

}  // namespace pacbench::trainer::test
