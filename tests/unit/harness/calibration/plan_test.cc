#include "harness/calibration/plan.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "harness/calibration/all_reduces.h"

namespace pacbench::calibration {
namespace {

using ::testing::DoubleNear;
using ::testing::Gt;
using ::testing::Le;
using ::testing::Optional;

constexpr Network kEight{8, 1500};

Subject subject(Quantity quantity, double rate_mbit, std::int64_t bytes = 0) {
  return {rate_mbit, quantity, Shaped::kBoth, bytes};
}

int count(const std::vector<Test>& all, Quantity quantity, Shaped shaped) {
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const Test& test) {
    return test.subject.quantity == quantity && test.subject.shaped == shaped;
  }));
}

TEST(Ideal, OfAFlowIsTheRateWithoutHeaders) {
  EXPECT_THAT(ideal(subject(Quantity::kFlow, 100), kEight), Optional(DoubleNear(95.64, 0.01)));
  EXPECT_THAT(ideal(subject(Quantity::kFlow, 1000), kEight), Optional(DoubleNear(956.41, 0.01)));
  EXPECT_THAT(ideal(subject(Quantity::kRing, 100), {8, 9000}), Optional(DoubleNear(99.27, 0.01)));
}

TEST(Ideal, OfAMessageCountsTheHeadersOfItsLastShortFrame) {
  // 1449 bytes are sent in two frames, of 1514 and 67 bytes.
  EXPECT_EQ(wire_bytes(1449, 1500), 1514 + 67);
  EXPECT_THAT(ideal(subject(Quantity::kMessage, 8, 1449), kEight), Optional(1.581));
}

TEST(Ideal, OfAnAllReduceIsThatOfTheRing) {
  // Among N workers each sends 2 · (N - 1) / N of 8 MiB, at 95.64 Mbit/s of payload.
  EXPECT_THAT(ideal(subject(Quantity::kAllReduce, 100, 8 << 20), kEight),
              Optional(DoubleNear(2.0 * 7 / 8 * (8 << 20) * 8 / 95.6407e3, 0.2)));
  EXPECT_THAT(ideal(subject(Quantity::kAllReduce, 100, 8 << 20), {2, 1500}),
              Optional(DoubleNear(1.0 * (8 << 20) * 8 / 95.6407e3, 0.2)));
}

TEST(Ideal, IsAbsentForWhatOnlyTheMachineCanSay) {
  EXPECT_EQ(ideal(subject(Quantity::kFloor, 100), kEight), std::nullopt);
  EXPECT_EQ(ideal(subject(Quantity::kStepLateness, 100), kEight), std::nullopt);
}

TEST(Aim, IsTighterForLargeMessagesAndAbsentForTinyOnes) {
  EXPECT_THAT(aim(subject(Quantity::kMessage, 100, 64 << 10)), Optional(0.05));
  EXPECT_THAT(aim(subject(Quantity::kMessage, 500, 64 << 10)), Optional(0.05));
  EXPECT_THAT(aim(subject(Quantity::kMessage, 500, 70 << 10)), Optional(0.10));
  EXPECT_THAT(aim(subject(Quantity::kMessage, 500, 256 << 10)), Optional(0.03));
  EXPECT_THAT(aim(subject(Quantity::kMessage, 1000, 256 << 10)), Optional(DoubleNear(0.05, 1e-9)));
  EXPECT_THAT(aim(subject(Quantity::kMessage, 100, 4 << 20)), Optional(0.03));
  EXPECT_EQ(aim(subject(Quantity::kMessage, 100, 4 << 10)), std::nullopt);
  EXPECT_EQ(aim(subject(Quantity::kAllReduce, 100, 1 << 20)), std::nullopt);
  EXPECT_THAT(aim(subject(Quantity::kAllReduce, 100, 8 << 20)), Optional(0.03));
}

TEST(Words, OfQuantitiesAndDirectionsLeadBack) {
  for (int i = 0; i <= static_cast<int>(Quantity::kOrdinaryFloor); ++i) {
    const auto quantity = static_cast<Quantity>(i);
    EXPECT_EQ(quantity_of(name_of(quantity)), quantity);
  }
  for (const auto shaped : {Shaped::kBoth, Shaped::kUp, Shaped::kDown}) {
    EXPECT_EQ(shaped_of(name_of(shaped)), shaped);
  }
  EXPECT_THROW(quantity_of("speed"), std::invalid_argument);
}

TEST(Words, NameSizeAndDirection) {
  EXPECT_EQ(describe({100, Quantity::kMessage, Shaped::kUp, 64 << 10}),
            "message of 64 KB, up only");
  EXPECT_EQ(describe({100, Quantity::kAllReduce, Shaped::kBoth, 8 << 20}), "all-reduce of 8 MB");
}

TEST(Plan, MeasuresEachDirectionAlone) {
  const auto all = tests(Options{}, 100);
  for (const auto shaped : {Shaped::kBoth, Shaped::kUp, Shaped::kDown}) {
    EXPECT_EQ(count(all, Quantity::kFlow, shaped), 1);
    EXPECT_GE(count(all, Quantity::kMessage, shaped), 6);
  }
  EXPECT_EQ(count(all, Quantity::kRing, Shaped::kBoth), 1);
  EXPECT_EQ(count(all, Quantity::kIncast, Shaped::kBoth), 1);
  EXPECT_EQ(count(all, Quantity::kRateStep, Shaped::kBoth), 1);
  EXPECT_EQ(count(all, Quantity::kAllReduce, Shaped::kBoth), 6);
}

TEST(Plan, LeavesOutWhatTheOptionsLeaveOut) {
  Options options;
  options.all_reduce = options.directions = false;
  for (const auto& test : tests(options, 100)) {
    EXPECT_EQ(test.subject.shaped, Shaped::kBoth);
    EXPECT_NE(test.subject.quantity, Quantity::kAllReduce);
  }
}

TEST(Plan, KeepsToItsTime) {
  EXPECT_THAT(expected_s(Options{}), Le(6 * 60));
  Options quick;
  quick.quick = true;
  EXPECT_THAT(expected_s(quick), Le(80));
}

std::vector<Test> all_reduces_of(int repeat, double rate_mbit) {
  return {{subject(Quantity::kAllReduce, rate_mbit, 4 << 10), repeat},
          {subject(Quantity::kAllReduce, rate_mbit, 32 << 20), repeat}};
}

TEST(LongestSilence, CoversTheRoundsOfTheLargestSizeAtLowRatesAndWithManyRepetitions) {
  const auto round_s = [](double rate_mbit) {
    return 1e-3 * ideal(subject(Quantity::kAllReduce, rate_mbit, 32 << 20), kEight).value();
  };
  // A worker also times an all-reduce before the repetitions.
  EXPECT_THAT(longest_silence_s(kEight, all_reduces_of(9, 10)), Gt(120 + 10 * round_s(10)));
  EXPECT_THAT(longest_silence_s(kEight, all_reduces_of(200, 100)), Gt(120 + 201 * round_s(100)));
}

TEST(LongestSilence, IsShortWhereTheRoundsAre) {
  EXPECT_THAT(longest_silence_s(kEight, all_reduces_of(9, 1000)), Le(140));
}

}  // namespace
}  // namespace pacbench::calibration
