#include "probe/arrivals.h"

#include <gtest/gtest.h>

namespace pacbench::probe {
namespace {

TEST(Arrivals, CountEachNumberOnceAndThoseThatWereOvertaken) {
  Arrivals arrivals;
  for (const int number : {0, 2, 1, 1, 4}) arrivals.add(number, 0, 1000);
  EXPECT_EQ(arrivals.received(), 4);
  EXPECT_EQ(arrivals.counts(5), Json::parse(R"({"sent": 5, "received": 4, "duplicates": 1,
                                                "reordered": 1})"));
}

TEST(Arrivals, JitterIsTheMeanDifferenceOfNeighboursWhateverTheClocks) {
  constexpr std::int64_t kOtherClockNs = 77'000'000'000;
  Arrivals arrivals;
  EXPECT_EQ(arrivals.jitter_us(), 0);
  arrivals.add(0, 0, kOtherClockNs + 10'000);
  arrivals.add(1, 1'000'000, kOtherClockNs + 1'014'000);
  arrivals.add(2, 2'000'000, kOtherClockNs + 2'006'000);
  EXPECT_NEAR(arrivals.jitter_us(), (4 + 8) / 2.0, 1e-6);
  EXPECT_EQ(arrivals.last_ns() - arrivals.first_ns(), 1'996'000);
}

}  // namespace
}  // namespace pacbench::probe
