#include "netem/plan/netem_shape.h"

#include <gtest/gtest.h>

namespace pacbench::netem {
namespace {

TEST(NetemShape, IsNothingWherePacketsAreOnlyCarried) {
  EXPECT_FALSE(NetemShape::for_direction({100, 0, {}}, 1500).has_value());
}

TEST(NetemShape, HoldsFourTimesTheFramesThatADelayHoldsAtTheRate) {
  // 2 Gbit/s for 60 ms are 15 MB, 9908 frames of 1514 bytes.
  EXPECT_EQ(packets_in_flight(2000, {50, 10, 0, 0}, 1500), 39'631);
  const auto shape = NetemShape::for_direction({2000, 0, {50, 10, 0, 0}}, 1500);
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->limit_packets, 39'631);
}

TEST(NetemShape, HoldsNoLessThanASchedulesHigherRatesNeedAndThanNetemsOwnDefault) {
  EXPECT_EQ(NetemShape::for_direction({50, 0, {50, 10, 0, 0}}, 1500)->limit_packets,
            packets_in_flight(1000, {50, 10, 0, 0}, 1500));
  EXPECT_EQ(NetemShape::for_direction({10, 0, {0, 0, 0.01, 0}}, 1500)->limit_packets, 1000);
}

}  // namespace
}  // namespace pacbench::netem
