#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

Json with_link(const char* link) {
  auto document = example_scenario();
  document["network"]["links"] = Json::array({Json::parse(link)});
  return document;
}

Scenario read(const Json& document) {
  return scenario_from_json("test.json", document, example_catalogue());
}

Json canonical_link(const char* link) {
  return to_json(read(with_link(link)))["network"]["links"][0];
}

TEST(Network, OfPlainLinksIsWrittenAsItAlwaysWas) {
  const auto canonical = to_json(read(example_scenario()));
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
  EXPECT_TRUE(read(with_link(unknown)).network.links.at(0).is_unknown());
  EXPECT_EQ(canonical_link(unknown), Json::parse(unknown));
  const char* known = R"({"name": "a", "measured": true, "rate_mbit": 94.1})";
  EXPECT_FALSE(read(with_link(known)).network.links.at(0).is_unknown());
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
  const auto canonical = to_json(read(document));
  EXPECT_EQ(to_json(read(canonical)).dump(), canonical.dump());
  for (const char* key : {"delay_ms", "jitter_ms", "loss", "reorder", "queue_kb", "edge_mbit"}) {
    EXPECT_EQ(canonical["network"]["links"][0][key], document["network"]["links"][0][key]) << key;
  }
  EXPECT_EQ(canonical["network"]["links"][0]["load"], document["network"]["links"][0]["load"]);
  EXPECT_EQ(canonical["slow_workers"], document["slow_workers"]);
}

TEST(Network, AScheduleSaysWhatTheRateIsAtTheStart) {
  const auto link = read(with_link(R"({"name": "a", "rate_mbit": 100, "schedule": {"steps": [
      {"at_s": 0, "rate_mbit": 50}, {"at_s": 2, "rate_mbit": 500}]}})"))
                        .network.links.at(0);
  EXPECT_EQ(link.up_mbit, 50);
  EXPECT_EQ(link.down_mbit, 50);
}

TEST(Network, ChainIsFilledInThirds) {
  EXPECT_THAT(thirds(8), ElementsAre(3, 2, 3));
  EXPECT_THAT(thirds(3), ElementsAre(1, 1, 1));
  EXPECT_THAT(thirds(4), ElementsAre(1, 2, 1));
  EXPECT_THAT(thirds(10), ElementsAre(3, 4, 3));
  auto document = example_scenario();
  document["network"]["topology"] = "chain3";
  EXPECT_EQ(to_json(read(document))["network"]["groups"], Json::array({3, 2, 3}));
}

std::string complaint(const Json& network, int workers) {
  auto document = example_scenario();
  document["workers"] = workers;
  document["network"].merge_patch(network);
  const auto issues = refusal_issues([&] { read(document); });
  return issues.empty() ? "" : issues[0].pointer + ": " + issues[0].message;
}

TEST(Network, TopologyMustFitTheNumberOfWorkers) {
  EXPECT_THAT(complaint({{"topology", "chain3"}}, 2), StartsWith("/network/topology: found 2"));
  EXPECT_THAT(complaint({{"topology", "chain3"}, {"groups", {4, 4}}}, 8),
              StartsWith("/network/groups: found 2 numbers, expected three"));
  EXPECT_EQ(complaint({{"topology", "groups"}, {"groups", {4, 3}}}, 8),
            "/network/groups: 4 + 3 make 7 workers, but the scenario has 8");
  EXPECT_EQ(complaint({{"topology", "groups"}, {"groups", Json::array({8})}}, 8),
            "/network/groups: found 1 sites, expected 2 to 31");
  EXPECT_EQ(complaint({{"topology", "groups"}, {"groups", {4, 4}}}, 8), "");
  EXPECT_THAT(complaint({{"topology", "torus"}, {"shape", Json::array({8})}}, 8),
              StartsWith("/network/shape: found 1 numbers, expected 2 or 3"));
  EXPECT_THAT(complaint({{"topology", "fat-tree"}, {"shape", {4, 2}}}, 8),
              StartsWith("/network/shape: found 2 numbers, expected 3"));
}

TEST(Network, OfModeLearnMayNameSlowWorkersToNoEffect) {
  auto document = example_scenario();
  document["mode"] = "learn";
  const auto without = to_json(read(document));
  document["slow_workers"] = Json::parse(R"([{"worker": 7, "compute_factor": 2}])");
  EXPECT_EQ(to_json(read(document)), without);
}

}  // namespace
}  // namespace pacbench::testing
