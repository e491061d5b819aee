// Bytes and expected times of exchanges, for calls whose times can be added by hand.
#include "trainer/roles/tasks.h"

#include <gtest/gtest.h>

namespace pacbench::trainer::test::exchange_costs_test {
namespace {

using Calls = std::vector<std::vector<PlannedCollective>>;

/// On this link a million bytes take a second, and a message 50 µs.
const LinkFacts kLink{"star", 8};

TEST(ExchangeCost, OfAnAllReduceIsThatOfARing) {
  const PlannedCollective sum{CollectiveKind::kAllReduce, 400'000};
  const auto cost = cost_of(Calls(4, {sum}), kLink);
  EXPECT_EQ(cost.sent_bytes, 600'000);
  EXPECT_NEAR(cost.wire_s, 0.6 + 6 * 50e-6, 1e-9);
  EXPECT_NEAR(cost_of(Calls(4, {sum}), kLink, 0.02).wire_s, 0.6 + 6 * 0.02005, 1e-9)
      << "each message waits for a round trip";
}

TEST(ExchangeCost, CountsTheBusiestRankOfEachCall) {
  // Rank 0 sends in the first call, rank 1 twice as much in the second.
  const PlannedCollective nothing{CollectiveKind::kAllToAll, 0};
  const PlannedCollective little{CollectiveKind::kAllToAll, 100'000};
  const PlannedCollective much{CollectiveKind::kAllToAll, 200'000};
  const auto cost = cost_of({{little, nothing}, {nothing, much}}, kLink);
  EXPECT_EQ(cost.sent_bytes, 200'000);
  EXPECT_NEAR(cost.wire_s, 0.3 + 2 * 50e-6, 1e-9) << "one after the other";
}

TEST(ExchangeCost, LetsSubGroupsWorkAtTheSameTime) {
  const PlannedCollective first{CollectiveKind::kAllReduce, 100'000, 0, {0, 1}};
  const PlannedCollective second{CollectiveKind::kAllReduce, 100'000, 0, {2, 3}};
  const PlannedCollective between{CollectiveKind::kAllReduce, 200'000, 0, {0, 2}};
  const auto inside = cost_of(Calls(4, {first, second}), kLink);
  EXPECT_EQ(inside.sent_bytes, 100'000);
  EXPECT_NEAR(inside.wire_s, 0.1 + 2 * 50e-6, 1e-9);
  const auto all = cost_of(Calls(4, {first, second, between}), kLink);
  EXPECT_EQ(all.sent_bytes, 300'000) << "of a leader";
  EXPECT_NEAR(all.wire_s, 0.3 + 4 * 50e-6, 1e-9);
}

}  // namespace
}  // namespace pacbench::trainer::test::exchange_costs_test
