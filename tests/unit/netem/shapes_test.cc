// The numbers of tc's shaper, of netem and of packet steering.
#include "netem/plan/shapes.h"
#include "netem/kernel/htb_rate_change.h"
#include "netem/kernel/packet_steering.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::netem {
namespace {

TEST(HtbOptions, BurstsAreTimesInTicksOf64Nanoseconds) {
  const auto options = htb_options({12'500'000, 15'000, 1'600, 60'000, 262'144});
  EXPECT_EQ(options.rate.rate, 12'500'000U);
  EXPECT_EQ(options.ceil.rate, 12'500'000U);
  EXPECT_EQ(options.buffer, 18'750U);  // 1.2 ms
  EXPECT_EQ(options.cbuffer, 2'000U);  // 128 µs
  EXPECT_EQ(options.quantum, 60'000U);
  EXPECT_EQ(options.rate.linklayer, TC_LINKLAYER_ETHERNET);
}

TEST(HtbOptions, ARateBeyond32BitsIsCutAndItsBurstsAreNot) {
  const auto options = htb_options({12'500'000'000, 125'000, 125'000, 60'000, 262'144});
  EXPECT_EQ(options.rate.rate, 0xFFFF'FFFFU);
  EXPECT_EQ(options.buffer, 156U);  // 10 µs
}

TEST(HtbOptions, ABurstThatLastsLongerThanTheFieldHoldsIsRefusedWithTheArithmetic) {
  EXPECT_NO_THROW(htb_options({6'250, 1'700'000, 1'600, 60'000, 262'144}));
  EXPECT_THAT(testing::refusal_words<std::runtime_error>([] {
                htb_options({6'250, 100'000'000, 1'600, 60'000, 262'144});
              }),
              HasSubstr("takes 16000 s at 6250 bytes/s, but the kernel can store at most 275 s"));
}

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

TEST(SetOfCpus, HasThoseOfTheListWhateverTheirNumbers) {
  EXPECT_EQ(set_of_cpus("0-1"), "3");
  EXPECT_EQ(set_of_cpus("0,2-3"), "d");
  EXPECT_EQ(set_of_cpus("1,3,5,7"), "aa");
}

TEST(SetOfCpus, IsWrittenInWordsOf32) {
  EXPECT_EQ(set_of_cpus("0-31"), "ffffffff");
  EXPECT_EQ(set_of_cpus("0-32"), "1,ffffffff");
  EXPECT_EQ(set_of_cpus("0,36-67"), "f,fffffff0,00000001");
}

}  // namespace
}  // namespace pacbench::netem
