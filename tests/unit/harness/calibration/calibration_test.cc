#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "contract/fabric/fabric_spec.h"
#include "harness/calibration/calibrate.h"
#include "harness/calibration/measure.h"
#include "harness/calibration/plan.h"
#include "harness/calibration/result.h"

namespace pacbench::calibration {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

TEST(Ideal, IsWhatTheRateLeavesBesideHeadersAndAbsentForWhatOnlyTheMachineCanSay) {
  EXPECT_THAT(ideal(subject(Quantity::kFlow, 100), kEight), Optional(DoubleNear(95.64, 0.01)));
  EXPECT_THAT(ideal(subject(Quantity::kFlow, 1000), kEight), Optional(DoubleNear(956.41, 0.01)));
  EXPECT_THAT(ideal(subject(Quantity::kRing, 100), {8, 9000}), Optional(DoubleNear(99.27, 0.01)));
  EXPECT_EQ(ideal(subject(Quantity::kFloor, 100), kEight), std::nullopt);
  EXPECT_EQ(ideal(subject(Quantity::kStepLateness, 100), kEight), std::nullopt);
  // 1449 bytes are sent in two frames, of 1514 and 67 bytes.
  EXPECT_EQ(wire_bytes(1449, 1500), 1514 + 67);
  EXPECT_THAT(ideal(subject(Quantity::kMessage, 8, 1449), kEight), Optional(1.581));
  // Among N workers each sends 2 · (N - 1) / N of 8 MiB, at 95.64 Mbit/s of payload.
  EXPECT_THAT(ideal(subject(Quantity::kAllReduce, 100, 8 << 20), kEight),
              Optional(DoubleNear(2.0 * 7 / 8 * (8 << 20) * 8 / 95.6407e3, 0.2)));
  EXPECT_THAT(ideal(subject(Quantity::kAllReduce, 100, 8 << 20), {2, 1500}),
              Optional(DoubleNear(1.0 * (8 << 20) * 8 / 95.6407e3, 0.2)));
}

TEST(LinksOfACalibration, AreThoseOfARunAtItsTimeDilation) {
  auto network = kEight;
  network.time_dilation = 8;
  const auto request = network_of(network, 100, Shaped::kBoth);
  EXPECT_EQ(request.workers[0].up.rate_mbit, 12.5);
  EXPECT_EQ(request.shaper.ceil_burst_bytes, netd::usual_shaper(100).ceil_burst_bytes);
  // A message passes as soon as at the declared rate, in emulated time.
  const auto share = least_share(subject(Quantity::kMessage, 100, 64 << 10), kEight);
  EXPECT_EQ(least_share(subject(Quantity::kMessage, 12.5, 64 << 10), network), share);
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
  EXPECT_LE(expected_s(Options{}), 6 * 60);
  Options quick;
  quick.quick = true;
  EXPECT_LE(expected_s(quick), 80);
}

TEST(LongestSilence, CoversTheRoundsOfTheLargestSizeAtLowRatesAndWithManyRepetitions) {
  const auto silence_s = [](int repeat, double rate_mbit) {
    const auto all_reduce = [&](std::int64_t bytes) {
      return calibration::Test{subject(Quantity::kAllReduce, rate_mbit, bytes), repeat};
    };
    return longest_silence_s(kEight, {all_reduce(4 << 10), all_reduce(32 << 20)});
  };
  const auto round_s = [](double rate_mbit) {
    return 1e-3 * ideal(subject(Quantity::kAllReduce, rate_mbit, 32 << 20), kEight).value();
  };
  // A worker also times an all-reduce before the repetitions.
  EXPECT_GT(silence_s(9, 10), 120 + 10 * round_s(10));
  EXPECT_GT(silence_s(200, 100), 120 + 201 * round_s(100));
  EXPECT_LE(silence_s(9, 1000), 140) << "short where the rounds are";
}

Subject message(double rate_mbit, std::int64_t bytes) {
  return {rate_mbit, Quantity::kMessage, Shaped::kBoth, bytes};
}

/// A row whose repetitions are the ideal value, or 1 where there is none, times these ratios.
Row row(const Subject& subject, std::vector<double> ratios) {
  const auto exact = ideal(subject, Network{}).value_or(1);
  for (auto& ratio : ratios) ratio *= exact;
  return {subject, std::move(ratios), {}};
}

Calibration example() {
  Calibration all;
  all.made = "2026-01-31T12:34:56Z";
  all.pacbench = "0.1.0 (abc)";
  all.machine = {"Linux", "A CPU", 2, 1 << 30, {"reno", "cubic"}};
  all.repeat = 3;
  all.real_time = true;
  all.rows = {row({100, Quantity::kFlow}, {0.99, 1.0, 0.995}),
              row(message(100, 64 << 10), {0.97, 0.95, 0.96}),
              row({100, Quantity::kFloor}, {5.0, 5.5, 6.0}),
              row({1000, Quantity::kFlow}, {0.95, 0.97, 0.96}),
              row(message(1000, 64 << 10), {0.84, 0.83, 0.85})};
  all.rows[3].circumstances.idle_share = 0.02;
  all.rows[3].circumstances.softirq_share = 0.5;
  return all;
}

TEST(Calibration, SurvivesTheWayThroughJsonUnlessItIsOfAnotherVersionOrUnknownQuantity) {
  const auto document = to_json(example());
  EXPECT_EQ(to_json(calibration_from_json("file", document)), document);
  auto other = document;
  other["version"] = 99;
  EXPECT_THAT([&] { calibration_from_json("file", other); },
              ::testing::ThrowsMessage<ConfigError>(HasSubstr("found 99, expected 1")));
  other = document;
  other["rows"][0]["quantity"] = "speed";
  EXPECT_THROW(calibration_from_json("file", other), ConfigError);
}

TEST(Row, IsMetWhenItsMedianIsWithinTheAim) {
  EXPECT_EQ(row({100, Quantity::kFlow}, {0.5, 0.986, 1.0}).met({}), true);
  EXPECT_EQ(row({100, Quantity::kFlow}, {0.5, 0.984, 1.0}).met({}), false);
  EXPECT_EQ(row({100, Quantity::kFlow}, {1.02}).met({}), false) << "too fast is as wrong";
  EXPECT_EQ(row({100, Quantity::kStepLateness}, {4.9}).met({}), true);
  EXPECT_EQ(row({100, Quantity::kStepLateness}, {5.1}).met({}), false);
  EXPECT_EQ(row({100, Quantity::kFloor}, {500}).met({}), std::nullopt);
}

TEST(Row, OfAShortMessageIsMetWhenItTakesTheLeastShareOfItsTime) {
  // 4 KB are three frames, of 4294 bytes: 1514 pass in no time, and the 125 bytes of 0.2 ms.
  EXPECT_NEAR(least_share(message(5, 4 << 10), {}).value(), 1 - (1514 + 125) / 4294.0, 1e-9);
  EXPECT_EQ(row(message(5, 4 << 10), {0.63}).met({}), true);
  EXPECT_EQ(row(message(5, 4 << 10), {0.60}).met({}), false);
  // At 100 Mbit/s the last packet may have five frames, and the bucket has 1600 bytes.
  EXPECT_NEAR(least_share(message(100, 16 << 10), {}).value(), 1 - (5 * 1514 + 1600) / 17176.0,
              1e-9);
  EXPECT_EQ(least_share(message(100, 4 << 10), {}), 0.0);
  EXPECT_EQ(least_share({100, Quantity::kFlow}, {}), std::nullopt);
}

TEST(Reasons, AreGivenForMissedAimsOnlyAndNotInvented) {
  auto all = example();
  EXPECT_THAT(reasons(all.rows[0], all), IsEmpty());
  EXPECT_THAT(reasons(all.rows[2], all), IsEmpty());
  EXPECT_THAT(reasons(all.rows[3], all), ElementsAre("the CPUs were 2 % idle, softirq took 50 %"));
  EXPECT_THAT(reasons(all.rows[4], all), ElementsAre(HasSubstr("up to 37.5 % of this message")));
  all.rows[4].circumstances.idle_share = 0;
  EXPECT_THAT(reasons(all.rows[4], all), Not(Contains(HasSubstr("idle")))) << "of too fast a one";
  all.rows[3].circumstances = {};
  EXPECT_THAT(reasons(all.rows[3], all), ElementsAre(HasSubstr("no reason found")));
  all.rows[3] = row({1000, Quantity::kFlow}, {1.03});
  EXPECT_THAT(reasons(all.rows[3], all), ElementsAre(HasSubstr("the measurement is too fast")));
}

TEST(Table, HasALineForEachSubjectAndMarksWhatMissedItsAim) {
  const auto text = render_text(example(), 120);
  EXPECT_THAT(text, HasSubstr("0.990–1.000"));
  EXPECT_THAT(text, HasSubstr("0.960 !"));
  EXPECT_THAT(text, HasSubstr("5.50 ms"));
  EXPECT_THAT(missed_aims(example()),
              ElementsAre(HasSubstr("one flow at 1000 Mbit/s: 0.960, aim ± 1.5 %: the CPUs were"),
                          HasSubstr("message of 64 KB at 1000 Mbit/s: 0.840, aim ± 8")));
  auto all = example();
  all.rows.resize(3);
  EXPECT_THAT(render_text(all, 120), HasSubstr("All aims are met."));
}

/// In a ring of 8 the slowest flow has 0.98 of its ideal rate at 100 Mbit/s, and 0.90 at 1000.
Calibration of_rings() {
  Calibration all;
  all.rows = {row({1000, Quantity::kSlowestOfRing}, {0.90}),
              row({100, Quantity::kSlowestOfRing}, {0.98})};
  return all;
}

TEST(RingShare, IsThatOfARateOrBetweenRatesInProportionToTheirLogarithms) {
  EXPECT_NEAR(ring_share(of_rings(), 100, 8).value(), 0.98, 1e-9);
  EXPECT_NEAR(ring_share(of_rings(), 1000, 4).value(), 0.90, 1e-9);
  EXPECT_NEAR(ring_share(of_rings(), std::sqrt(1e5), 8).value(), 0.94, 1e-9);
  EXPECT_NEAR(ring_share(of_rings(), 10, 8).value(), 0.98, 1e-9) << "as at the lowest rate";
  EXPECT_FALSE(ring_share(of_rings(), 2000, 8)) << "beyond what was measured";
  EXPECT_FALSE(ring_share(of_rings(), 100, 9));
  EXPECT_FALSE(ring_share(Calibration{}, 100, 8));
}

}  // namespace
}  // namespace pacbench::calibration
