#include "harness/calibration/result.h"

#include <gmock/gmock.h>

#include "harness/calibration/table.h"

namespace pacbench::calibration {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

TEST(Calibration, SurvivesTheWayThroughJson) {
  const auto document = to_json(example());
  EXPECT_EQ(to_json(calibration_from_json("file", document)), document);
}

TEST(Calibration, OfAnotherVersionIsRefusedWithWhatToDo) {
  auto document = to_json(example());
  document["version"] = 99;
  EXPECT_THAT([&] { calibration_from_json("file", document); },
              ::testing::Throws<ConfigError>(::testing::Property(
                  &ConfigError::what, HasSubstr("found 99, expected 1; run pacbench calibrate"))));
}

TEST(Calibration, WithAnUnknownQuantityIsRefused) {
  auto document = to_json(example());
  document["rows"][0]["quantity"] = "speed";
  EXPECT_THROW(calibration_from_json("file", document), ConfigError);
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

TEST(Reasons, AreGivenForMissedAimsOnly) {
  const auto all = example();
  EXPECT_THAT(reasons(all.rows[0], all), IsEmpty());
  EXPECT_THAT(reasons(all.rows[2], all), IsEmpty());
  EXPECT_THAT(reasons(all.rows[3], all), ElementsAre("the CPUs were 2 % idle, softirq took 50 %"));
  EXPECT_THAT(reasons(all.rows[4], all), ElementsAre(HasSubstr("up to 37.5 % of this message")));
}

TEST(Reasons, OfATooFastMessageAreNotSoughtInABusyCpu) {
  auto all = example();
  all.rows[4].circumstances.idle_share = 0;
  EXPECT_THAT(reasons(all.rows[4], all), Not(Contains(HasSubstr("idle"))));
}

TEST(Reasons, OfATooFastFlowAreNotSaidToHaveBeenLookedFor) {
  auto all = example();
  all.rows[3] = row({1000, Quantity::kFlow}, {1.03});
  EXPECT_THAT(
      reasons(all.rows[3], all),
      ElementsAre("the measurement is too fast, and pacbench looks for no reason for that"));
}

TEST(Reasons, AreNotInvented) {
  auto all = example();
  all.rows[3].circumstances = {};
  EXPECT_THAT(reasons(all.rows[3], all), ElementsAre(HasSubstr("no reason found")));
}

TEST(Table, HasALineForEachSubjectAndMarksWhatMissedItsAim) {
  const auto text = render_text(example(), 120);
  EXPECT_THAT(text, HasSubstr("one flow"));
  EXPECT_THAT(text, HasSubstr("message of 64 KB"));
  EXPECT_THAT(text, HasSubstr("0.990–1.000"));
  EXPECT_THAT(text, HasSubstr("0.960 !"));
  EXPECT_THAT(text, HasSubstr("5.50 ms"));
  EXPECT_THAT(missed_aims(example()),
              ElementsAre(HasSubstr("one flow at 1000 Mbit/s: 0.960, aim ± 1.5 %: the CPUs were"),
                          HasSubstr("message of 64 KB at 1000 Mbit/s: 0.840, aim ± 8")));
}

TEST(Table, SaysWhenNothingWasMissed) {
  auto all = example();
  all.rows.resize(3);
  EXPECT_THAT(render_text(all, 120), HasSubstr("All aims are met."));
}

}  // namespace
}  // namespace pacbench::calibration
