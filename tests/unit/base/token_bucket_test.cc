#include "base/token_bucket.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pacbench {
namespace {

TEST(TokenBucket, GivesItsBoundAtOnceAndThenAsItFills) {
  auto bucket = TokenBucket::full({10, 2}, 100);
  EXPECT_EQ(bucket.wait_s(10, 100), 0);
  bucket.take(10, 100);
  EXPECT_EQ(bucket.wait_s(4, 100), 2);
  EXPECT_EQ(bucket.wait_s(4, 101), 1);
  EXPECT_EQ(bucket.wait_s(4, 102), 0);
}

TEST(TokenBucket, HoldsNoMoreThanItsBound) {
  auto bucket = TokenBucket::full({10, 2}, 0);
  EXPECT_TRUE(std::isinf(bucket.wait_s(11, 0)));
  bucket.take(10, 1000);
  EXPECT_EQ(bucket.wait_s(2, 1000), 1);
}

TEST(TokenBucket, GoesOnFromAStateThatWasKept) {
  auto bucket = TokenBucket::full({10, 2}, 0);
  bucket.take(8, 3);
  EXPECT_EQ((TokenBucket{{10, 2}, bucket.state()}.wait_s(4, 4)), 0);
  EXPECT_EQ((TokenBucket{{10, 2}, bucket.state()}.wait_s(6, 4)), 1);
}

}  // namespace
}  // namespace pacbench
