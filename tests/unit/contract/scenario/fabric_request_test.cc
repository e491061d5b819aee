#include "contract/scenario/fabric_request.h"

#include "contract/fabric/fabric_spec.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::testing {
namespace {

/// The example with another network, whose one link is the JSON `link`.
Scenario with_network(const char* topology, const Json& groups, const char* link) {
  auto document = example_scenario();
  document["network"]["topology"] = topology;
  if (!groups.is_null()) document["network"]["groups"] = groups;
  document["network"]["links"] = Json::array({Json::parse(link)});
  return read_scenario(document);
}

/// The request for the first link. Expects that the daemon reads what is written.
netd::CreateRequest request_of(const Scenario& scenario) {
  const auto request = fabric_request(scenario, scenario.network.links.front());
  const auto read = netd::create_request_from_json(netd::to_json(request));
  EXPECT_EQ(Json(read), Json(request));
  return request;
}

double rate_of(const netd::CreateRequest& request, const std::string& name) {
  return netd::find_direction(request, name)->rate_mbit;
}

TEST(Topology, ChainShapesTheLinksBetweenSwitches) {
  const auto request = request_of(with_network(
      "chain3", nullptr, R"({"name": "a", "up_mbit": 20, "down_mbit": 100, "delay_ms": 5})"));
  EXPECT_EQ(request.switches, 3);
  std::vector<int> switches;
  for (const auto& worker : request.workers) {
    switches.push_back(worker.attached_to);
    EXPECT_EQ(worker.up.rate_mbit, 10000);
    EXPECT_FALSE(worker.up.impairment.any());
  }
  EXPECT_THAT(switches, ElementsAre(0, 0, 0, 1, 1, 2, 2, 2));
  EXPECT_EQ(rate_of(request, "trunk0.forward"), 20);
  EXPECT_EQ(rate_of(request, "trunk1.backward"), 100);
  EXPECT_EQ(request.trunks[1].forward.impairment.delay_ms, 5);
  EXPECT_THAT(netd::route(request, 0, 7),
              ElementsAre("worker0.up", "trunk0.forward", "trunk1.forward", "worker7.down"));
}

TEST(Topology, GroupsHaveACoreAndUpIsTowardsIt) {
  const auto request = request_of(with_network(
      "groups", {2, 3, 3}, R"({"name": "a", "up_mbit": 20, "down_mbit": 100, "edge_mbit": 1000})"));
  EXPECT_EQ(request.switches, 4);
  EXPECT_EQ(rate_of(request, "trunk2.forward"), 20);
  EXPECT_EQ(rate_of(request, "worker0.up"), 1000);
  EXPECT_THAT(netd::route(request, 1, 2),
              ElementsAre("worker1.up", "trunk0.forward", "trunk1.backward", "worker2.down"));
  EXPECT_THAT(netd::route(request, 2, 4), ElementsAre("worker2.up", "worker4.down"));
}

TEST(Topology, RingCrossesEachTrunkOnceEachWay) {
  for (const auto& scenario :
       {with_network("chain3", nullptr, R"({"name": "a", "rate_mbit": 0.1})"),
        with_network("groups", {1, 2, 5}, R"({"name": "a", "rate_mbit": 1e5})")}) {
    const auto request = request_of(scenario);
    for (const auto& name : netd::direction_names(request)) {
      EXPECT_EQ(ring_flows_over(request, name), 1) << name;
    }
  }
}

TEST(Topology, OverridesChangeOneWorkersLinkOnly) {
  const auto request = request_of(with_network("star", nullptr, R"({"name": "a", "rate_mbit": 100,
      "delay_ms": 5, "overrides": [{"worker": 3, "up_mbit": 20, "loss": 0.01},
                                   {"worker": 5, "rate_mbit": 30, "queue_kb": 512}]})"));
  EXPECT_EQ(rate_of(request, "worker3.up"), 20);
  EXPECT_EQ(rate_of(request, "worker3.down"), 100);
  EXPECT_EQ(request.workers[3].down.impairment.loss, 0.01);
  EXPECT_EQ(request.workers[3].down.impairment.delay_ms, 5);
  EXPECT_EQ(rate_of(request, "worker5.up"), 30);
  EXPECT_EQ(request.workers[5].up.queue_bytes, 512 * 1024);
  EXPECT_EQ(rate_of(request, "worker4.up"), 100);
  EXPECT_EQ(request.workers[4].up.impairment.loss, 0);
}

TEST(Topology, ScheduleMovesWhatHasNoRateOfItsOwn) {
  auto scenario = with_network("star", nullptr, R"({"name": "a",
      "schedule": {"steps": [{"at_s": 0, "rate_mbit": 50}, {"at_s": 2.5, "rate_mbit": 500}],
                   "repeat_s": 5},
      "overrides": [{"worker": 0, "up_mbit": 20}, {"worker": 1, "delay_ms": 1}]})");
  scenario.network.rate_accounting = "wire";
  const auto request = schedule_request(scenario, scenario.network.links.front());
  EXPECT_EQ(request.directions.size(), 15U);
  EXPECT_EQ(request.directions.front(), "worker0.down");
  ASSERT_EQ(request.steps.size(), 2U);
  EXPECT_EQ(request.steps[1].at_ms, 2500);
  EXPECT_NEAR(request.steps[1].rate_mbit, 492.2, 0.05);
  EXPECT_EQ(request.repeat_ms, 5000);
  scenario = with_network("chain3", nullptr, R"({"name": "a",
      "schedule": {"steps": [{"at_s": 0, "rate_mbit": 50}]}})");
  EXPECT_THAT(profiled_directions(scenario, scenario.network.links.front()),
              UnorderedElementsAre("trunk0.forward", "trunk0.backward", "trunk1.forward",
                                   "trunk1.backward"));
}

TEST(Topology, ASchedulesFirstStepIsTheRateAndItsFastestMakesTheQueues) {
  const auto request = request_of(with_network("star", nullptr, R"({"name": "a", "rate_mbit": 100,
      "schedule": {"steps": [{"at_s": 0, "rate_mbit": 50}, {"at_s": 2.5, "rate_mbit": 500}]}})"));
  EXPECT_EQ(rate_of(request, "worker3.up"), 50);
  EXPECT_EQ(rate_of(request, "worker3.down"), 50);
  EXPECT_EQ(request.workers[3].down.queue_bytes, 937'500);
  EXPECT_EQ(request.workers[3].down.most_rate_mbit, 500);
}

TEST(Topology, ALinkMayHaveATopologyOfItsOwn) {
  auto document = example_scenario();
  document["network"]["links"] = Json::parse(R"([{"name": "star", "rate_mbit": 100},
      {"name": "chain", "rate_mbit": 100, "topology": "chain3"}])");
  const auto scenario = read_scenario(document);
  EXPECT_EQ(fabric_request(scenario, scenario.network.links[0]).switches, 1);
  EXPECT_EQ(fabric_request(scenario, scenario.network.links[1]).switches, 3);
  const auto canonical = to_json(scenario);
  EXPECT_FALSE(canonical["network"]["links"][0].contains("topology"));
  EXPECT_EQ(canonical["network"]["links"][1]["groups"], Json::array({3, 2, 3}));
  EXPECT_EQ(to_json(read_scenario(canonical)), canonical);
}

}  // namespace
}  // namespace pacbench::testing
