#include "harness/probes/quiet_goodput.h"

#include <gmock/gmock.h>

namespace pacbench::probes {
namespace {

constexpr std::int64_t kNsInMs = 1'000'000;

/// A flow of 100 Mbit/s that was held up from 500 to 600 ms, and then went on as before.
links::FlowMeasurement held_up() {
  links::FlowMeasurement flow;
  std::int64_t bytes = 0;
  for (std::int64_t at_ms = 0; at_ms <= 1000; at_ms += 10) {
    flow.samples.push_back({at_ms * kNsInMs, bytes});
    if (at_ms < 500 || at_ms >= 600) bytes += 125'000;
  }
  return flow;
}

MachineTrace taken(std::int64_t from_ms, std::int64_t to_ms) {
  MachineTrace trace;
  trace.disturbances.push_back({TakenBy::kUnseen, from_ms * kNsInMs, to_ms * kNsInMs, 0.1});
  return trace;
}

TEST(QuietGoodput, IsThatOfTheWholeTimeWithoutADisturbance) {
  const auto all = quiet_goodput(held_up(), 0, 1000 * kNsInMs, {});
  EXPECT_DOUBLE_EQ(all.time_s, 1);
  EXPECT_DOUBLE_EQ(all.mbit(), 90);
}

TEST(QuietGoodput, LeavesOutADisturbanceAndTheTimeAfterIt) {
  const auto quiet = quiet_goodput(held_up(), 0, 1000 * kNsInMs, taken(495, 605));
  EXPECT_DOUBLE_EQ(quiet.mbit(), 100);
  EXPECT_NEAR(quiet.time_s, 1 - 0.14, 1e-9) << "from 490 to 630 ms";
}

TEST(BestGoodput, IsThatOfALinkWhateverHoldsItsFlowUp) {
  auto flow = held_up();
  EXPECT_DOUBLE_EQ(best_mbit(flow, 0, 1000 * kNsInMs).value(), 100);
  for (auto& sample : flow.samples) sample.bytes = sample.bytes * 9 / 10;
  EXPECT_NEAR(best_mbit(flow, 0, 1000 * kNsInMs).value(), 90, 1e-3);
  EXPECT_FALSE(best_mbit(flow, 0, 300 * kNsInMs)) << "too few parts";
}

}  // namespace
}  // namespace pacbench::probes
