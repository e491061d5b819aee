// The lines of network.jsonl become numbers of a cell.
#include <gmock/gmock.h>

#include "harness/record/cell_traffic.h"
#include "harness/record/verdicts.h"
#include "tests/unit/harness/example.h"

namespace pacbench::cell::moving_network_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kStart = 50'000 * kMillisecond;

/// A link that has 8 Mbit/s (1 MB/s) for a second and 80 Mbit/s for the next, again and again.
LinkProfile moving() {
  LinkProfile link{"moving", 8, 8};
  link.schedule = {{{0, 8}, {1, 80}}, 2};
  return link;
}

record::RateLimits started(const LinkProfile& link) {
  record::RateLimits limits{fake_scenario(), link};
  limits.schedule_started(kStart);
  return limits;
}

double sent(const record::RateLimits& limits, double from_s, double to_s) {
  const auto at = [](double time_s) { return kStart + static_cast<std::int64_t>(time_s * 1e9); };
  return limits.between(0, at(from_s), at(to_s)).sent;
}

TEST(RateLimits, OfConstantLinksAreTheirRates) {
  LinkProfile link{"a", 8, 80};
  link.overrides = {{1, 16.0, {}, {}, {}, {}, {}, {}}};
  const record::RateLimits limits{fake_scenario(), link};
  EXPECT_DOUBLE_EQ(limits.between(0, 0, 2000 * kMillisecond).sent, 2e6);
  EXPECT_DOUBLE_EQ(limits.between(0, 0, 2000 * kMillisecond).received, 2e7);
  EXPECT_DOUBLE_EQ(limits.between(1, 0, 2000 * kMillisecond).sent, 4e6);
}

TEST(RateLimits, OfAScheduleFollowItsStepsWhichMayBeLate) {
  const auto limits = started(moving());
  EXPECT_NEAR(sent(limits, 0.2, 0.8), 0.6e6, 1);
  EXPECT_NEAR(sent(limits, 1.2, 1.8), 6e6, 1);
  EXPECT_NEAR(sent(limits, 20.2, 20.8), 0.6e6, 1) << "ten rounds later";
  EXPECT_NEAR(sent(limits, -1, -0.5), 0.5e6, 1) << "before the start";
  // The schedule takes 2 s: a second at each rate, and the time by which its steps may be late.
  EXPECT_GE(sent(limits, 0, 2), 11e6);
  EXPECT_LE(sent(limits, 0, 2), 11.1e6);
  EXPECT_NEAR(sent(limits, 2.0, 2.005), 0.005 * (10e6 + 1e6), 1);
  EXPECT_NEAR(sent(limits, 2.005, 2.010), 0.005 * 1e6, 1);
  EXPECT_EQ(limits.steps_due(kStart - 1), 0);
  EXPECT_EQ(limits.steps_due(kStart), 1);
  EXPECT_EQ(limits.steps_due(kStart + 1500 * kMillisecond), 2);
  EXPECT_EQ(limits.steps_due(kStart + 5500 * kMillisecond), 6);
}

IterationEvent iteration(int rank, std::int64_t number, std::int64_t start_ms, std::int64_t end_ms,
                         std::int64_t sent_bytes) {
  IterationEvent event;
  event.rank = rank;
  event.iteration = number;
  event.step = {kStart + start_ms * kMillisecond, kStart + end_ms * kMillisecond};
  event.traffic.sent_bytes = sent_bytes;
  return event;
}

netd::SteppedEvent step(std::int64_t due_ms, std::int64_t late_ms) {
  return {0, kStart + due_ms * kMillisecond, kStart + (due_ms + late_ms) * kMillisecond, 1};
}

record::CellRecord recorded(const std::vector<netd::SteppedEvent>& steps) {
  record::CellRecord record{{fake_scenario(), moving()}};
  record.add(record::NetworkTrace::scheduled_event({0, kStart}));
  for (const auto& taken : steps) record.add(record::NetworkTrace::stepped_event(taken));
  record.add(to_json(iteration(0, 1, 10, 1500, 1000)));
  return record;
}

TEST(Schedule, TakenLateOrNotMakesTheLinkSuspect) {
  EXPECT_THAT(record::link_verdict(recorded({step(0, 0), step(1000, 4)}), {}).reasons, IsEmpty());
  const auto verdict = record::link_verdict(recorded({step(0, 0), step(1000, 12)}), {});
  EXPECT_EQ(verdict.word, "suspect");
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("came over 5 ms late, the worst by 12.0 ms")));
  EXPECT_THAT(record::link_verdict(recorded({step(0, 0)}), {}).reasons,
              ElementsAre(HasSubstr("1 of the 2 rate changes")));
}

TEST(Schedule, MoreBytesThanItsStepsCarryMakeTheLinkSuspect) {
  auto record = recorded({step(0, 0), step(1000, 0)});
  record.add(to_json(iteration(0, 2, 2100, 2600, 4'000'000)));  // at most 5.6 MB from 1.5 s on
  EXPECT_THAT(record.excesses(), IsEmpty());
  record.add(to_json(iteration(0, 3, 2600, 2900, 1'000'000)));  // at most 0.3 MB
  ASSERT_EQ(record.excesses().size(), 1u);
  EXPECT_EQ(record.excesses()[0].iteration, 3);
}

TEST(Schedule, WhatAQueueStillHeldBeforeTheFirstStepIsNoExcess) {
  record::CellRecord record{{fake_scenario(), moving()}};
  record.add(record::NetworkTrace::scheduled_event({0, kStart}));
  auto first = iteration(0, 1, 900, 1000, 600'000);  // its 0.1 s carries 0.1 MB
  first.training_s = 0.8;
  record.add(to_json(first));
  EXPECT_THAT(record.excesses(), IsEmpty());
  auto second = iteration(0, 2, 1000, 1100, 2'000'000);
  second.training_s = 0.9;
  record.add(to_json(second));
  EXPECT_EQ(record.excesses().size(), 1u);
}

/// A record of a load that has sent 1000, 2000 and 3000 segments after 100, 200 and 300 ms.
record::CellRecord loaded() {
  record::CellRecord record{record::RateLimits{}};
  for (const std::int64_t at_ms : {100, 200, 300}) {
    const auto segments = 10 * at_ms;
    record.add(record::NetworkTrace::load_event(0, {{"event", "sent"},
                                                    {"at_ns", kStart + at_ms * kMillisecond},
                                                    {"bytes", 1448 * segments},
                                                    {"sent_bytes", 1448 * segments},
                                                    {"segments", segments},
                                                    {"segments_received", segments / 2},
                                                    {"retransmits", 0}}));
  }
  return record;
}

TEST(Loads, AreTakenOutOfWhatWasCountedForTheirTwoWorkersOnly) {
  auto record = loaded();
  for (int rank = 0; rank < 2; ++rank) {
    record.add(to_json(iteration(rank, 1, 100, 150, 0)));
    record.add(to_json(iteration(rank, 2, 160, 250, 0)));
  }
  // The load's 1500 segments from 100 to 250 ms count, in the pause between the iterations too.
  const auto one_way = record::load_traffic({{0, 5, 0, 1, {}}}, record, false);
  EXPECT_DOUBLE_EQ(one_way.sent_bytes, 1500 * 1514);
  EXPECT_DOUBLE_EQ(one_way.received_bytes, 750 * 66);
  const auto both_ends = record::load_traffic({{0, 1, 0, 1, {}}}, record, false);
  EXPECT_DOUBLE_EQ(both_ends.sent_bytes, 1500 * 1514 + 750 * 66);
  EXPECT_DOUBLE_EQ(both_ends.received_bytes, 1500 * 1514 + 750 * 66);
}

TEST(Loads, WhilePruningAreNotTakenOutOfIterationsWhetherItTookTimeOrNot) {
  for (const double pruning_s : {0.0, 0.05}) {
    auto record = loaded();
    auto first = iteration(0, 1, 100, 150, 0);
    first.training_s = pruning_s;
    record.add(to_json(first));
    record.add(to_json(PrunedEvent{1, 0, pruning_s, 0.5, ""}));
    record.add(to_json(PrunedEvent{7, 0, pruning_s, 0.5, ""}));
    // The second iteration takes 50 ms of pruning on the clock, then 50 ms of its own.
    auto second = iteration(0, 2, 200, 250, 0);
    second.training_s = 3 * pruning_s;
    record.add(to_json(second));
    const auto traffic = record::load_traffic({{0, 5, 0, 1, {}}}, record, false);
    EXPECT_DOUBLE_EQ(traffic.sent_bytes, 1000 * 1514) << pruning_s;
  }
}

TEST(Loads, OfAProgramAreTakenOutFromItsRecordedBeginningOrElseOutOfItsWholeTime) {
  auto record = loaded();
  const auto counted = [&] { return record::load_traffic({{0, 5, 0, 1, {}}}, record, true); };
  EXPECT_DOUBLE_EQ(counted().sent_bytes, 3000 * 1514 + 1500 * 66) << "with its acknowledgements";
  const auto began =
      record::CellRecord::counters_at_start_event({{}, {}, {}}, kStart + 150 * kMillisecond);
  auto of_an_earlier_run = began;
  of_an_earlier_run.erase("at_ns");
  record.add(of_an_earlier_run);
  EXPECT_DOUBLE_EQ(counted().sent_bytes, 3000 * 1514 + 1500 * 66);
  // The counters at the start have what was sent before 150 ms.
  record.add(began);
  EXPECT_DOUBLE_EQ(counted().sent_bytes, 1500 * 1514 + 750 * 66);
  EXPECT_DOUBLE_EQ(counted().received_bytes, 1500 * 1514 + 750 * 66);
}

TEST(Loads, ThatNeverBeganTakeNothingOut) {
  record::CellRecord record{record::RateLimits{}};
  record.add(to_json(iteration(0, 1, 100, 150, 0)));
  EXPECT_EQ(record::load_traffic({{0, 1, 90, 99, {}}}, record, false).sent_bytes, 0);
}

}  // namespace
}  // namespace pacbench::cell::moving_network_test
