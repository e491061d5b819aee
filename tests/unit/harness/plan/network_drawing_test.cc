#include "harness/plan/network_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/harness/example.h"

namespace pacbench::plan::network_drawing_test {
namespace {

using ::testing::HasSubstr;

std::string drawing(const Json& network, int workers = 8) {
  auto document = fake_scenario_json();
  document["workers"] = workers;
  document["network"] = network;
  return plan::describe_network(scenario_from_json("drawn.json", document, fake_catalogue()));
}

TEST(NetworkDrawing, ShowsAChainWithWhoStandsWhere) {
  EXPECT_THAT(drawing({{"topology", "chain3"}, {"links", {{{"name", "a"}, {"rate_mbit", 100}}}}}),
              HasSubstr("  switch 0 ════ trunk0 ════ switch 1 ════ trunk1 ════ switch 2\n"
                        "  │                         │                         │\n"
                        "  workers 0 to 2            workers 3 to 4            workers 5 to 7\n"));
}

TEST(NetworkDrawing, ShowsSitesAroundTheirCore) {
  EXPECT_THAT(drawing({{"topology", "groups"},
                       {"groups", {1, 7}},
                       {"links", {{{"name", "a"}, {"rate_mbit", 100}}}}}),
              HasSubstr("  core (switch 0)\n"
                        "  ╠═ trunk0 ═ switch 1 ─ worker 0\n"
                        "  ╚═ trunk1 ═ switch 2 ─ workers 1 to 7\n"));
}

TEST(NetworkDrawing, GivesEachKindOfLinkARowWithItsFlows) {
  const auto text = drawing(Json::parse(R"({"links": [{"name": "a", "up_mbit": 20,
      "down_mbit": 50, "overrides": [{"worker": 3, "rate_mbit": 7}]}]})"));
  EXPECT_THAT(text,
              HasSubstr("workers 0 to 2, each sending        20       256 │    1           7\n"
                        "workers 0 to 2, each receiving      50       256 │    1           7\n"
                        "worker 3, sending                    7       256 │    1           7\n"));
  EXPECT_THAT(text, HasSubstr("workers 4 to 7, each receiving      50"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("loss")));
}

TEST(NetworkDrawing, SaysThatTheShapersRatesAreLowerThanDeclaredOnesThatCountWholeFrames) {
  auto network = Json::parse(R"({"links": [{"name": "a", "rate_mbit": 100}]})");
  const auto lower = HasSubstr("count frames as the shaper does (l2), so they are lower\n");
  EXPECT_THAT(drawing(network), ::testing::Not(lower));
  network["rate_accounting"] = "wire";
  const auto text = drawing(network);
  EXPECT_THAT(text, HasSubstr("98.4395"));
  EXPECT_THAT(text, lower);
}

TEST(NetworkDrawing, ShowsImpairmentAndRoundTrips) {
  const auto text = drawing(Json::parse(R"({"topology": "chain3", "links": [{"name": "a",
      "rate_mbit": 100, "delay_ms": 20, "jitter_ms": 1, "loss": 0.001}]})"));
  EXPECT_THAT(text, HasSubstr("trunk0, switch 0 to 1              100      1478    20 ± 1  0.1 %"));
  EXPECT_THAT(text, HasSubstr("workers 0 and 1: 0 ms; workers 0 and 7: 80 ms"));
}

TEST(NetworkDrawing, ShowsSchedulesAndLoads) {
  const auto text = drawing(Json::parse(R"({"links": [{"name": "a",
      "schedule": {"steps": [{"at_s": 0, "rate_mbit": 50}, {"at_s": 5, "rate_mbit": 500}],
                   "repeat_s": 10},
      "load": [{"from": 0, "to": 7, "start_s": 5, "end_s": 9},
               {"from": 1, "to": 2, "start_s": 0.5, "end_s": 1, "rate_mbit": 30}]}]})"));
  EXPECT_THAT(text, HasSubstr("start of training: 0 s: 50, 5 s: 500, repeated every 10 s\n"));
  EXPECT_THAT(text, HasSubstr("load: worker 0 to worker 7, 5 s to 9 s, as fast as TCP can\n"));
  EXPECT_THAT(text, HasSubstr("load: worker 1 to worker 2, 0.5 s to 1 s, 30 Mbit/s\n"));
}

}  // namespace
}  // namespace pacbench::plan::network_drawing_test
