// Real workers over long links: an exchange takes at least the time of its hops.
#include <numeric>
#include <string_view>

#include "contract/worker/measure_spec.h"
#include "harness/calibration/measure.h"
#include "tests/kernel/impaired_network.h"

namespace pacbench {
namespace {

class LongLinks : public ImpairedNetwork {
 protected:
  void SetUp() override {
    if (std::string_view{PACBENCH_WORKER}.empty()) GTEST_SKIP() << "built without the trainer";
  }
};

TEST_F(LongLinks, AnAllReduceOfRealWorkersTakesAtLeastWhatItsHopsCost) {
  constexpr int kWorkers = 3;
  constexpr int kRounds = 5;
  make(request(kWorkers, {.delay_ms = 20}, {.delay_ms = 20}));
  const calibration::Test small{
      {kRateMbit, calibration::Quantity::kAllReduce, calibration::Shaped::kBoth, kFloorBytes},
      kRounds};
  const auto timed = calibration::time_all_reduces(fabric(), {.workers = kWorkers}, {small},
                                                   PACBENCH_WORKER, interrupt());
  // In a ring a sum is complete after N−1 hops, and all ranks have it after as many more. Each hop
  // goes up one link and down the next.
  constexpr double kHops_ms = 2 * (kWorkers - 1) * (20 + 20);
  ASSERT_EQ(timed.rows.size(), 3U) << "the all-reduce, and both floors";
  for (const auto& row : timed.rows) {
    ASSERT_EQ(row.measured.size(), kRounds);
    // Checks the mean of rank 0's rounds: when it starts a round after its neighbours, it waits
    // less for their data, and that round is shorter.
    const auto sum_ms = std::accumulate(row.measured.begin(), row.measured.end(), 0.0);
    EXPECT_GE(sum_ms / kRounds, kHops_ms - 1) << calibration::name_of(row.subject.quantity);
  }
}

}  // namespace
}  // namespace pacbench
