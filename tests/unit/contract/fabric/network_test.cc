#include "base/files.h"
#include "contract/network/rate_schedule_reader.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::testing {
namespace {

Json with_link(const char* link) {
  auto document = example_scenario();
  document["network"]["links"] = Json::array({Json::parse(link)});
  return document;
}

Json canonical_link(const char* link) {
  return to_json(read_scenario(with_link(link)))["network"]["links"][0];
}

TEST(Network, OfPlainLinksIsWrittenAsItAlwaysWas) {
  const auto canonical = to_json(read_scenario(example_scenario()));
  EXPECT_EQ(canonical["network"], example_scenario()["network"]);
  EXPECT_FALSE(canonical.contains("slow_workers"));
}

TEST(Network, OneRateBothWaysIsTheSameHoweverItIsWritten) {
  const Json plain{{"name", "a"}, {"rate_mbit", 20.0}};
  EXPECT_EQ(canonical_link(R"({"name": "a", "up_mbit": 20, "down_mbit": 20})"), plain);
  EXPECT_EQ(canonical_link(R"({"name": "a", "rate_mbit": 20, "up_mbit": 20, "delay_ms": 0})"),
            plain);
  // A rate of one direction leaves the other alone.
  EXPECT_EQ(canonical_link(R"({"name": "a", "rate_mbit": 100, "up_mbit": 20})"),
            Json::parse(R"({"name": "a", "up_mbit": 20.0, "down_mbit": 100.0})"));
}

TEST(Network, AMeasuredLinkHasNoRateUntilItIsMeasured) {
  const char* unknown = R"({"name": "a", "measured": true})";
  EXPECT_TRUE(read_scenario(with_link(unknown)).network.links.at(0).is_unknown());
  EXPECT_EQ(canonical_link(unknown), Json::parse(unknown));
  const char* known = R"({"name": "a", "measured": true, "rate_mbit": 94.1})";
  EXPECT_FALSE(read_scenario(with_link(known)).network.links.at(0).is_unknown());
  EXPECT_EQ(canonical_link(known), Json::parse(known));
}

TEST(Network, WithEverythingReadsBackAsItself) {
  auto document = with_link(R"({
    "name": "all", "delay_ms": 20, "jitter_ms": 2, "loss": 0.01, "reorder": 0.02, "queue_kb": 4096,
    "edge_mbit": 1000, "overrides": [{"worker": 3, "rate_mbit": 5}, {"worker": 4, "up_mbit": 7,
    "delay_ms": 1, "queue_kb": 300}],
    "schedule": {"steps": [{"at_s": 0, "rate_mbit": 50}, {"at_s": 2.5, "rate_mbit": 500}],
                 "repeat_s": 5},
    "load": [{"from": 0, "to": 7, "start_s": 5, "end_s": 20, "rate_mbit": 30},
             {"from": 1, "to": 2, "start_s": 0, "end_s": 1}]})");
  document["network"]["topology"] = "groups";
  document["network"]["groups"] = {2, 6};
  document["slow_workers"] = Json::parse(R"([{"worker": 6, "compute_factor": 1},
                                             {"worker": 7, "compute_factor": 2}])");
  const auto canonical = to_json(read_scenario(document));
  EXPECT_EQ(to_json(read_scenario(canonical)).dump(), canonical.dump());
  for (const char* key : {"delay_ms", "jitter_ms", "loss", "reorder", "queue_kb", "edge_mbit"}) {
    EXPECT_EQ(canonical["network"]["links"][0][key], document["network"]["links"][0][key]) << key;
  }
  EXPECT_EQ(canonical["network"]["links"][0]["load"], document["network"]["links"][0]["load"]);
  EXPECT_EQ(canonical["slow_workers"], document["slow_workers"]);
}

TEST(Network, ChainIsFilledInThirds) {
  EXPECT_THAT(thirds(8), ElementsAre(3, 2, 3));
  EXPECT_THAT(thirds(3), ElementsAre(1, 1, 1));
  EXPECT_THAT(thirds(4), ElementsAre(1, 2, 1));
  EXPECT_THAT(thirds(10), ElementsAre(3, 4, 3));
  auto document = example_scenario();
  document["network"]["topology"] = "chain3";
  EXPECT_EQ(to_json(read_scenario(document))["network"]["groups"], Json::array({3, 2, 3}));
}

std::string complaint(const Json& network, int workers = 8) {
  auto document = example_scenario();
  document["workers"] = workers;
  document["network"].merge_patch(network);
  return refusal_words([&] { read_scenario(document); });
}

TEST(Network, TopologyMustFitTheNumberOfWorkers) {
  EXPECT_THAT(complaint({{"topology", "chain3"}}, 2), HasSubstr("/network/topology: found 2"));
  EXPECT_THAT(complaint({{"topology", "chain3"}, {"groups", {4, 4}}}),
              HasSubstr("/network/groups: found 2 numbers, expected three"));
  EXPECT_THAT(complaint({{"topology", "groups"}, {"groups", {4, 3}}}),
              HasSubstr("/network/groups: 4 + 3 make 7 workers, but the scenario has 8"));
  EXPECT_THAT(complaint({{"topology", "groups"}, {"groups", Json::array({8})}}),
              HasSubstr("/network/groups: found 1 sites, expected 2 to 31"));
  EXPECT_THAT(complaint({{"topology", "torus"}, {"shape", Json::array({8})}}),
              HasSubstr("/network/shape: found 1 numbers, expected 2 or 3"));
  EXPECT_THAT(complaint({{"topology", "fat-tree"}, {"shape", {4, 2}}}),
              HasSubstr("/network/shape: found 2 numbers, expected 3"));
}

TEST(Network, OfModeLearnMayNameSlowWorkersToNoEffect) {
  auto document = example_scenario();
  document["mode"] = "learn";
  const auto without = to_json(read_scenario(document));
  document["slow_workers"] = Json::parse(R"([{"worker": 7, "compute_factor": 2}])");
  EXPECT_EQ(to_json(read_scenario(document)), without);
}

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
  EXPECT_EQ(to_json(read_scenario(canonical)).dump(), canonical.dump());

  write_file_atomically(path_, "50\nfast\n");
  const auto issues = refusal_issues([&] { scenario_from_json(source, document, catalogue); });
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].pointer, "/network/links/0/schedule/trace");
  EXPECT_THAT(issues[0].message, HasSubstr("link.trace:2: found \"fast\""));
}

}  // namespace
}  // namespace pacbench::testing
