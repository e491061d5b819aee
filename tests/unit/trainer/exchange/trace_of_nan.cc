#include "tests/unit/trainer/exchange/trace_of_nan.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <limits>

#include "trainer/averaging/diverged.h"

namespace pacbench::trainer::test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void expect_a_trace_of_nan(ThreadRanks& all, Gradients gradients, bool leaves_mean) {
  gradients[1][1].fill_(std::numeric_limits<float>::quiet_NaN());
  try {
    const auto mean = all.exchange(gradients)[leaves_mean ? 0 : 1][1];
    EXPECT_FALSE(at::isfinite(mean).all().item<bool>())
        << "bucket 1: rank 1's NaN left no trace in the mean";
  } catch (const std::runtime_error&) {
    ASSERT_TRUE(all.failures()[1][1]) << "rank 1, bucket 1: another one failed, not this";
    EXPECT_THAT([&] { std::rethrow_exception(all.failures()[1][1]); },
                ThrowsMessage<Diverged>(HasSubstr("rank 1, bucket 1: the gradient of parameter2")));
  }
}

}  // namespace pacbench::trainer::test
