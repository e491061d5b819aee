#include "harness/plan/link_words.h"

#include <gtest/gtest.h>

namespace pacbench::plan {
namespace {

std::string words(const char* link, const char* network = R"({"topology": "star"})") {
  return link_words(Json::parse(network), Json::parse(link));
}

TEST(LinkWords, SayWhoseTheRateIs) {
  EXPECT_EQ(words(R"({"rate_mbit": 100.0})"), "100 Mbit/s each way, each worker");
  EXPECT_EQ(words(R"({"up_mbit": 20, "down_mbit": 100})"), "20 Mbit/s up, 100 down, each worker");
  EXPECT_EQ(words(R"({"rate_mbit": 100})", R"({"topology": "chain3", "groups": [3, 2, 3]})"),
            "100 Mbit/s each way, between the three switches of 3/2/3 workers");
  EXPECT_EQ(words(R"({"rate_mbit": 100, "topology": "groups", "groups": [4, 4]})"),
            "100 Mbit/s each way, between the core and each of the sites of 4/4 workers");
}

TEST(LinkWords, SayHowItMovesAndWhatGoesWrong) {
  EXPECT_EQ(words(R"({"rate_mbit": 50, "schedule": {"steps": [{"at_s": 0, "rate_mbit": 50},
                      {"at_s": 5, "rate_mbit": 500}], "repeat_s": 10}})"),
            "50 to 500 Mbit/s each way in 2 steps, again every 10 s, each worker");
  EXPECT_EQ(words(R"({"rate_mbit": 5, "delay_ms": 20, "jitter_ms": 2, "loss": 0.01})"),
            "5 Mbit/s each way, each worker; 20 ± 2 ms one way; 1 % lost");
}

TEST(LinkWords, NameOverridesAndLoads) {
  EXPECT_EQ(words(R"({"rate_mbit": 100, "overrides": [{"worker": 7, "rate_mbit": 20},
                      {"worker": 3, "up_mbit": 5, "delay_ms": 1}],
                      "load": [{"from": 0, "to": 1, "start_s": 5, "end_s": 20, "rate_mbit": 30}]})"),
            "100 Mbit/s each way, each worker; worker 7: 20 Mbit/s; worker 3: 5 Mbit/s up, 1 ms "
            "one way; load from worker 0 to worker 1, 5 to 20 s, 30 Mbit/s");
}

}  // namespace
}  // namespace pacbench::plan
