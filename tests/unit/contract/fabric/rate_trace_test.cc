#include "contract/network/rate_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::testing {
namespace {

using ::testing::HasSubstr;

class RateTrace : public ::testing::Test {
 protected:
  RateSchedule read(const std::string& text, int interval_ms) {
    write_file_atomically(path_, text);
    return read_rate_trace(path_, interval_ms);
  }

  std::string refusal(const std::string& text) {
    return refusal_words([&] { read(text, 100); });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/link.trace";
};

TEST_F(RateTrace, APacketEachMillisecondIsTwelveMegabits) {
  std::string text;
  for (int ms = 1; ms <= 1000; ++ms) text += std::to_string(ms) + '\n';
  const auto schedule = read(text, 100);
  ASSERT_EQ(schedule.steps.size(), 1U);
  EXPECT_DOUBLE_EQ(schedule.steps[0].rate_mbit, 12);
  EXPECT_EQ(schedule.repeat_s, 0);
}

TEST_F(RateTrace, EachIntervalHasTheRateOfItsPackets) {
  // The trace has two packets in the first 10 ms and four in the second. Then it begins again.
  const auto schedule = read("5\n10\n12\n14\n14\n20\n", 10);
  ASSERT_EQ(schedule.steps.size(), 2U);
  EXPECT_DOUBLE_EQ(schedule.steps[0].rate_mbit, 2.4);
  EXPECT_DOUBLE_EQ(schedule.steps[1].rate_mbit, 4.8);
  EXPECT_DOUBLE_EQ(schedule.steps[1].at_s, 0.010);
  EXPECT_DOUBLE_EQ(schedule.repeat_s, 0.020);
}

TEST_F(RateTrace, AShortRestBelongsToTheIntervalBefore) {
  auto schedule = read("10\n20\n23\n", 10);
  ASSERT_EQ(schedule.steps.size(), 2U);
  EXPECT_DOUBLE_EQ(schedule.steps[1].rate_mbit, 2 * 12.0 / 13);
  EXPECT_DOUBLE_EQ(schedule.repeat_s, 0.023);
  schedule = read("10\n20\n20\n25\n", 10);
  ASSERT_EQ(schedule.steps.size(), 2U) << "5 ms are too short for a step";
  EXPECT_DOUBLE_EQ(schedule.steps[1].rate_mbit, 3 * 12.0 / 15);
}

TEST_F(RateTrace, WhereNothingCanCrossTheLeastRateHolds) {
  // Ten packets of 12 kbit in the first 100 ms, none in the next, and one in the last.
  const auto schedule = read("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n300\n", 100);
  ASSERT_EQ(schedule.steps.size(), 2U);
  EXPECT_DOUBLE_EQ(schedule.steps[1].rate_mbit, kLeastLinkMbit);
  EXPECT_NEAR(schedule.steps[0].rate_mbit, 1.12, 1e-9) << "the mean stays 132 kbit in 300 ms";
  const auto slow = read("10\n300\n", 100);
  ASSERT_EQ(slow.steps.size(), 1U) << "its mean is below the least rate";
  EXPECT_DOUBLE_EQ(slow.steps[0].rate_mbit, kLeastLinkMbit);
}

TEST_F(RateTrace, ALineThatIsNoTimeIsNamed) {
  EXPECT_THAT(refusal("1\n2\nthree\n"),
              HasSubstr(path_ + ":3: found \"three\" (a string), expected a time in whole"));
  EXPECT_THAT(refusal("1\n2.5\n"), HasSubstr(path_ + ":2: found \"2.5\""));
  EXPECT_THAT(refusal("1\n\n3\n"), HasSubstr(path_ + ":2: found \"\""));
  EXPECT_THAT(refusal("-1\n"), HasSubstr(path_ + ":1: found \"-1\""));
  EXPECT_THAT(refusal("5\n4\n"), HasSubstr("found 4 ms after 5 ms in the line above"));
  EXPECT_THAT(refusal(""), HasSubstr("expected at least one time after 0 ms"));
}

TEST_F(RateTrace, OfAScenarioIsReadBesideItAndKeptAsSteps) {
  write_file_atomically(path_, "50\n100\n150\n200\n210\n");
  auto document = example_scenario();
  document["network"]["links"][0] =
      Json::parse(R"({"name": "a", "schedule": {"trace": "link.trace", "interval_ms": 100}})");
  const auto catalogue = example_catalogue();
  const auto source = folder_.path() + "/scenario.json";
  const auto canonical = to_json(scenario_from_json(source, document, catalogue));
  EXPECT_EQ(canonical["network"]["links"][0]["schedule"]["steps"].size(), 2U);
  // A recorded scenario no longer needs the file.
  const auto again = scenario_from_json("elsewhere.json", canonical, catalogue);
  EXPECT_EQ(to_json(again).dump(), canonical.dump());

  write_file_atomically(path_, "50\nfast\n");
  const auto issues = refusal_issues([&] { scenario_from_json(source, document, catalogue); });
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].pointer, "/network/links/0/schedule/trace");
  EXPECT_THAT(issues[0].message, HasSubstr("link.trace:2: found \"fast\""));
}

}  // namespace
}  // namespace pacbench::testing
