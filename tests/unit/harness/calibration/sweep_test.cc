#include "harness/calibration/sweep.h"

#include <gmock/gmock.h>

#include <set>

namespace pacbench::calibration {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

constexpr Network kEightWorkers{8, 1500};

/// Adds rows at this rate. Messages have `messages` times their ideal value, the ring has `ring`
/// times its own.
void add_rows(Trial& trial, double rate_mbit, double messages, double ring) {
  for (const auto& test : sweep_tests(rate_mbit)) {
    const auto exact = *ideal(test.subject, kEightWorkers);
    const bool is_message = test.subject.quantity == Quantity::kMessage;
    trial.rows.push_back({test.subject, {exact * (is_message ? messages : ring)}, {}});
  }
}

TEST(Candidates, BeginWithTheDefaultAndNameEachOneOnce) {
  const auto all = candidates();
  EXPECT_EQ(describe(all.front()), describe(Candidate{}));
  std::set<std::string> names;
  for (const auto& candidate : all) names.insert(describe(candidate));
  EXPECT_EQ(names.size(), all.size());
}

TEST(Candidates, ComparePacketSizesBurstsCongestionControlsAndQueues) {
  std::set<std::int64_t> packets;
  std::set<std::int64_t> bursts;
  std::set<std::string> controls;
  std::set<std::int64_t> queues;
  for (const auto& candidate : candidates()) {
    packets.insert(candidate.shaper.gso_max_bytes);
    bursts.insert(candidate.shaper.ceil_burst_bytes);
    controls.insert(candidate.congestion_control);
    queues.insert(candidate.queue_bytes);
  }
  EXPECT_GE(packets.size(), 5U);
  EXPECT_GE(bursts.size(), 3U);
  EXPECT_EQ(controls, (std::set<std::string>{"bbr", "cubic", "reno"}));
  EXPECT_GE(queues.size(), 3U);
}

TEST(Score, CountsEachMissInUnitsOfItsAim) {
  Trial trial;
  // The aims: 3 % for the ring; of the six sizes of messages, 5 % for the smallest, 10 % for the
  // next three, 3 % for the two largest.
  add_rows(trial, 100, 1.05, 0.97);
  EXPECT_THAT(score(trial, kEightWorkers),
              DoubleNear(((1.0 + 3 * 0.5 + 2 * 5.0 / 3) / 6 + 1) / 2, 1e-6));
}

TEST(Score, TakesTooFastForAsBadAsTooSlow) {
  Trial fast;
  add_rows(fast, 100, 0.95, 1);
  Trial slow;
  add_rows(slow, 100, 1.05, 1);
  EXPECT_THAT(score(fast, kEightWorkers), DoubleNear(score(slow, kEightWorkers), 1e-9));
}

TEST(Score, WeighsEachRateTheSame) {
  Trial trial;
  add_rows(trial, 100, 1, 1);
  add_rows(trial, 1000, 1, 0.94);
  EXPECT_THAT(score_at(trial, kEightWorkers, 100), DoubleNear(0, 1e-9));
  EXPECT_THAT(score_at(trial, kEightWorkers, 1000), DoubleNear(1, 1e-9));
  EXPECT_THAT(score(trial, kEightWorkers), DoubleNear(0.5, 1e-9));
}

TEST(SweepTable, HasTheBestOfEachRateAndWhatWasRefused) {
  Options options;
  options.rates_mbit = {100, 1000};
  const auto all = candidates();
  Trial low{all[0], {}, {}};
  add_rows(low, 100, 1, 1);
  add_rows(low, 1000, 0.8, 0.9);
  Trial high{all[1], {}, {}};
  add_rows(high, 100, 0.9, 1);
  add_rows(high, 1000, 1, 1);
  const Trial refused{all[2], {}, "at 100 Mbit/s: no such thing"};
  const auto text = sweep_text({high, low, refused}, options, 400);
  EXPECT_THAT(text, HasSubstr("best at 100 Mbit/s: " + describe(all[0]) + "\n"));
  EXPECT_THAT(text, HasSubstr("best at 1000 Mbit/s: " + describe(all[1]) + "\n"));
  EXPECT_THAT(text, HasSubstr("refused: " + describe(all[2]) + ": at 100 Mbit/s: no such thing"));
  EXPECT_THAT(text, HasSubstr("0.80"));
}

}  // namespace
}  // namespace pacbench::calibration
