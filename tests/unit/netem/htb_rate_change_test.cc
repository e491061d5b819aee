#include "netem/kernel/htb_rate_change.h"

#include <gtest/gtest.h>

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
  try {
    htb_options({6'250, 100'000'000, 1'600, 60'000, 262'144});
    ADD_FAILURE() << "not refused";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "a burst of 100000000 bytes takes 16000 s at 6250 bytes/s, but the kernel can "
                 "store at most 275 s; expected a smaller burst or a higher rate");
  }
}

}  // namespace
}  // namespace pacbench::netem
