#include "tests/unit/trainer/exchange/trace_of_nan.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "trainer/averaging/diverged.h"

namespace pacbench::trainer::test {

using ::testing::AllOf;
using ::testing::HasSubstr;

void expect_a_trace_of_nan(ThreadRanks& all, Gradients gradients, bool leaves_mean) {
  gradients[1][1].fill_(std::numeric_limits<float>::quiet_NaN());
  try {
    const auto means = all.exchange(gradients);
    const auto& mean = means[leaves_mean ? 0 : 1][1];
    EXPECT_FALSE(at::isfinite(mean).all().item<bool>())
        << "bucket 1: rank 1's NaN left no trace in the mean";
    return;
  } catch (const std::runtime_error&) {
    ASSERT_TRUE(all.failures()[1][1]) << "rank 1, bucket 1: another one failed, not this";
  }
  try {
    std::rethrow_exception(all.failures()[1][1]);
  } catch (const Diverged& diverged) {
    EXPECT_THAT(diverged.what(),
                AllOf(HasSubstr("rank 1"), HasSubstr("bucket 1"), HasSubstr("parameter2")));
  }
}

}  // namespace pacbench::trainer::test
