#include "harness/plan/units.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace pacbench::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Units, OfARateAreThoseOfTcAndOfPeople) {
  for (const auto* text : {"100mbit", "100Mbit", "100 Mbit/s", "100Mbps", "100mbps", "100Mb/s",
                           "0.1gbit", "100000kbit", "12.5MB/s", "12.5MBps", "1e8bit"}) {
    EXPECT_DOUBLE_EQ(rate_mbit(text), 100) << text;
  }
}

TEST(Units, OfATimeAndOfAShare) {
  EXPECT_DOUBLE_EQ(time_ms("20ms"), 20);
  EXPECT_DOUBLE_EQ(time_ms("0.02 s"), 20);
  EXPECT_DOUBLE_EQ(time_ms("150us"), 0.15);
  EXPECT_DOUBLE_EQ(share_of_percent("0.1%"), 0.001);
  EXPECT_DOUBLE_EQ(share_of_percent("5 %"), 0.05);
}

TEST(Units, AreAskedForWhereTheyLack) {
  for (const auto* text : {"100", "", "fast", "100mbit2", "-5mbit", "100mib", "nanmbit"}) {
    EXPECT_THAT([&] { rate_mbit(text); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("100mbit")))
        << text;
  }
  EXPECT_THROW(time_ms("20"), std::invalid_argument);
  EXPECT_THROW(share_of_percent("0.001"), std::invalid_argument);
  EXPECT_THROW(share_of_percent("100%"), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::plan
