#include "harness/plan/plan.h"

#include <gmock/gmock.h>

#include "tests/unit/harness/example.h"

namespace pacbench::plan::network_drawing_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string drawing(const Json& network) {
  auto document = fake_scenario_json();
  document["workers"] = 8;
  document["network"] = network;
  return plan::describe_network(scenario_from_json("drawn.json", document, fake_catalogue()));
}

TEST(NetworkDrawing, ShowsAChainAndSitesAroundTheirCoreWithWhoStandsWhere) {
  EXPECT_THAT(drawing({{"topology", "chain3"}, {"links", {{{"name", "a"}, {"rate_mbit", 100}}}}}),
              HasSubstr("  switch 0 ════ trunk0 ════ switch 1 ════ trunk1 ════ switch 2\n"
                        "  │                         │                         │\n"
                        "  workers 0 to 2            workers 3 to 4            workers 5 to 7\n"));
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
  EXPECT_THAT(text, Not(HasSubstr("loss")));
}

TEST(NetworkDrawing, SaysThatTheShapersRatesAreLowerThanDeclaredOnesThatCountWholeFrames) {
  auto network = Json::parse(R"({"links": [{"name": "a", "rate_mbit": 100}]})");
  const auto lower = HasSubstr("count frames as the shaper does (l2), so they are lower\n");
  EXPECT_THAT(drawing(network), Not(lower));
  network["rate_accounting"] = "wire";
  EXPECT_THAT(drawing(network), AllOf(HasSubstr("98.4395"), lower));
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
  EXPECT_THAT(text, HasSubstr("0 s: 50, 5 s: 500, repeated every 10 s\n"));
  EXPECT_THAT(text, HasSubstr("worker 0 to worker 7, 5 s to 9 s, as fast as TCP can\n"));
  EXPECT_THAT(text, HasSubstr("worker 1 to worker 2, 0.5 s to 1 s, 30 Mbit/s\n"));
}

std::string words(const char* link, const char* network = R"({"topology": "star"})") {
  return link_words(Json::parse(network), Json::parse(link));
}

TEST(LinkWords, SayWhoseTheRateIsHowItMovesAndWhatElseThereIs) {
  EXPECT_EQ(words(R"({"rate_mbit": 100.0})"), "100 Mbit/s each way, each worker");
  EXPECT_EQ(words(R"({"up_mbit": 20, "down_mbit": 100})"), "20 Mbit/s up, 100 down, each worker");
  EXPECT_EQ(words(R"({"rate_mbit": 100})", R"({"topology": "chain3", "groups": [3, 2, 3]})"),
            "100 Mbit/s each way, between the three switches of 3/2/3 workers");
  EXPECT_EQ(words(R"({"rate_mbit": 100, "topology": "groups", "groups": [4, 4]})"),
            "100 Mbit/s each way, between the core and each of the sites of 4/4 workers");
  EXPECT_EQ(words(R"({"rate_mbit": 50, "schedule": {"steps": [{"at_s": 0, "rate_mbit": 50},
                      {"at_s": 5, "rate_mbit": 500}], "repeat_s": 10}})"),
            "50 to 500 Mbit/s each way in 2 steps, again every 10 s, each worker");
  EXPECT_EQ(words(R"({"rate_mbit": 5, "delay_ms": 20, "jitter_ms": 2, "loss": 0.01})"),
            "5 Mbit/s each way, each worker; 20 ± 2 ms one way; 1 % lost");
  EXPECT_EQ(words(R"({"rate_mbit": 100, "overrides": [{"worker": 7, "rate_mbit": 20},
                      {"worker": 3, "up_mbit": 5, "delay_ms": 1}],
                      "load": [{"from": 0, "to": 1, "start_s": 5, "end_s": 20, "rate_mbit": 30}]})"),
            "100 Mbit/s each way, each worker; worker 7: 20 Mbit/s; worker 3: 5 Mbit/s up, 1 ms "
            "one way; load from worker 0 to worker 1, 5 to 20 s, 30 Mbit/s");
}

}  // namespace
}  // namespace pacbench::plan::network_drawing_test
