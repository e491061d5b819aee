#include "netem/plan/link_shape.h"

#include <gtest/gtest.h>

namespace pacbench::netem {
namespace {

LinkShape at(double rate_mbit) { return LinkShape::for_rate(rate_mbit, {}, 1000); }

TEST(LinkShape, KeepsSmallBurstsUntilTcWouldRoundThemAway) {
  EXPECT_EQ(at(1000).burst_bytes, 15 * 1024);
  EXPECT_EQ(at(1000).ceil_burst_bytes, 1600);
  EXPECT_EQ(at(100'000).burst_bytes, 125'000);
  EXPECT_EQ(at(100'000).ceil_burst_bytes, 125'000);
}

TEST(LinkShape, KeepsAFractionOfAMegabit) {
  EXPECT_EQ(at(98.44).rate_bytes_per_s, 12'305'000);
  EXPECT_EQ(at(0.05).rate_bytes_per_s, 6'250);
}

}  // namespace
}  // namespace pacbench::netem
