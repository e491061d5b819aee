#include "analysis/export/link_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::exports {
namespace {

/// Two links: a chain of three switches, and a star whose rate follows a schedule. What worker 2
/// sends keeps one rate.
Json scenario() {
  auto scenario = report::example_run().scenario;
  scenario["network"]["links"] = Json::parse(R"([
      {"name": "chain", "topology": "chain3", "rate_mbit": 100.0, "edge_mbit": 1000.0},
      {"name": "moving", "overrides": [{"worker": 2, "up_mbit": 10.0}], "schedule": {"steps": [
        {"at_s": 0.0, "rate_mbit": 500.0}, {"at_s": 3.0, "rate_mbit": 50.0}]}}])");
  return scenario;
}

record::NetworkTrace stepped(const std::vector<std::pair<std::int64_t, double>>& steps) {
  record::NetworkTrace trace;
  for (const auto& [applied_ns, rate_mbit] : steps) {
    trace.add(EventKind::kStepped,
              record::NetworkTrace::stepped_event({0, applied_ns, applied_ns, rate_mbit}));
  }
  return trace;
}

TEST(LinkRates, AreThoseOfWorkersLinksAndOfTrunks) {
  const auto rates = link_rates("result.json", scenario(), "chain", {}, 77);
  EXPECT_EQ(rates.size(), 8U * 2 + 2 * 2);
  ASSERT_EQ(rates.at("trunk1.backward").size(), 1U);
  EXPECT_EQ(rates.at("trunk1.backward")[0].at_ns, 77);
  EXPECT_DOUBLE_EQ(rates.at("trunk1.backward")[0].rate_mbit, 100);
  EXPECT_DOUBLE_EQ(rates.at("worker7.up")[0].rate_mbit, 1000);
}

TEST(LinkRates, FollowTheStepsAsTheyWereTaken) {
  const auto trace = stepped({{50, 500}, {60, 200}, {900, 50}});
  const auto rates = link_rates("result.json", scenario(), "moving", trace, 100);
  const auto& changes = rates.at("worker0.up");
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].at_ns, 100);
  EXPECT_DOUBLE_EQ(changes[0].rate_mbit, 200);
  EXPECT_EQ(changes[1].at_ns, 900);
  EXPECT_DOUBLE_EQ(changes[1].rate_mbit, 50);
  ASSERT_EQ(rates.at("worker2.up").size(), 1U) << "it has a rate of its own";
  EXPECT_DOUBLE_EQ(rates.at("worker2.up")[0].rate_mbit, 10);
}

TEST(LinkRates, NameALinkThatTheScenarioLacks) {
  EXPECT_THAT(testing::refusal_words([] { link_rates("result.json", scenario(), "slow", {}, 0); }),
              ::testing::HasSubstr("result.json: /scenario/network/links: found no link \"slow\""));
}

}  // namespace
}  // namespace pacbench::exports
