#include "contract/profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/sha256.h"
#include "contract/catalogue/choice_json.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/example_profile.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Profile, ReadsBackAsItself) {
  const auto profile = profile_from_json("p.json", example_profile());
  EXPECT_EQ(to_json(profile_from_json("p.json", to_json(profile))), to_json(profile));
  EXPECT_EQ(first_schema_error(profile_schema(), to_json(profile)), "");
}

TEST(Profile, WithExchangesReadsBackAsItself) {
  auto document = example_profile();
  document["exchanges"] = {example_exchanges(), example_exchanges()};
  document["exchanges"][1]["link"] = {
      {"topology", "chain3"}, {"rate_mbit", 100}, {"groups", {3, 2, 3}}};
  const auto profile = profile_from_json("p.json", document);
  ASSERT_EQ(profile.exchanges.size(), 2U);
  EXPECT_EQ(profile.exchanges[0].payload_bytes(), 120);
  EXPECT_EQ(profile.exchanges[0].encode_ms(), 6);
  EXPECT_EQ(profile.exchanges[0].decode_ms(), 4.5);
  EXPECT_EQ(to_json(profile_from_json("p.json", to_json(profile))), to_json(profile));
  EXPECT_EQ(first_schema_error(profile_schema(), to_json(profile)), "");
}

TEST(Profile, WithExchangesOfEachRankReadsBackAsItself) {
  auto document = example_profile();
  document["exchanges"] = {example_exchanges_of_ranks()};
  const auto profile = profile_from_json("p.json", document);
  EXPECT_EQ(to_json(profile_from_json("p.json", to_json(profile))), to_json(profile));
  EXPECT_EQ(to_json(profile).at("exchanges").at(0), document["exchanges"][0]);
  EXPECT_EQ(first_schema_error(profile_schema(), to_json(profile)), "");
}

TEST(Profile, HasTheCallsOfARankInEachIterationOfAPeriod) {
  auto document = example_profile();
  document["exchanges"] = {example_exchanges(), example_exchanges_of_ranks()};
  const auto all = profile_from_json("p.json", document).exchanges;
  EXPECT_EQ(all[0].period(), 1);
  EXPECT_EQ(all[0].iteration_of(5, 3).buckets.size(), 2U) << "alike for all ranks";
  EXPECT_EQ(all[1].period(), 2);
  EXPECT_EQ(all[1].iteration_of(0, 1).weights.steps.size(), 0U);
  EXPECT_THAT(all[1].iteration_of(0, 4).weights.steps.at(0).ranks, ElementsAre(0));
  EXPECT_EQ(all[1].payload_bytes(), 170) << "680 over two iterations of two ranks";
  EXPECT_EQ(all[1].encode_ms(), 2);
}

TEST(Profile, FindsTheExchangesOfAMethodByWorkersAndByTheLinkWhereItLooksAtIt) {
  auto document = example_profile();
  document["exchanges"] = {example_exchanges(), example_exchanges()};
  auto& other = document["exchanges"][1];
  other["method"] = {{"name", "terngrad"}, {"encoding", "auto"}};
  other["link"] = {{"topology", "star"}, {"rate_mbit", 100}, {"groups", Json::array()}};
  const auto all = profile_from_json("p.json", document).exchanges;
  const LinkFacts slow{"star", 100, {}};
  const LinkFacts fast{"star", 1000, {}};
  EXPECT_EQ(find_exchanges(all, all[0].method, 8, fast), &all[0]);
  EXPECT_EQ(find_exchanges(all, all[0].method, 4, fast), nullptr);
  EXPECT_EQ(find_exchanges(all, all[1].method, 8, slow), &all[1]);
  EXPECT_EQ(find_exchanges(all, all[1].method, 8, fast), nullptr);
}

TEST(Profile, CountsItsParametersAndTakesMediansOverItsIterations) {
  const auto profile = profile_from_json("p.json", example_profile());
  EXPECT_EQ(profile.parameters(), 150);
  EXPECT_EQ(profile.forward_ms(), 2);
  EXPECT_EQ(profile.backward_ms(), 5);
  EXPECT_THAT(profile.ready_ms(), ElementsAre(2, 5));
}

TEST(Profile, HasIterationsOfEachWorkerForTheRanksInItsPlace) {
  auto document = example_profile();
  document["iterations"][1]["worker"] = 1;
  const auto profile = profile_from_json("p.json", document);
  EXPECT_EQ(first_schema_error(profile_schema(), to_json(profile)), "");
  ASSERT_EQ(profile.iterations_of(1).size(), 1U);
  EXPECT_EQ(profile.iterations_of(1)[0].forward_ms, 2);
  EXPECT_EQ(profile.iterations_of(2).size(), 2U);
  EXPECT_EQ(profile.iterations_of(5)[0].forward_ms, 2);
}

struct Broken {
  const char* name;
  const char* pointer;
  const char* value;
  const char* said;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

TEST(Profile, RefusesExchangesOfRanksThatDoNotFitTogether) {
  const auto refusal = [](const char* pointer, const Json& value) -> std::string {
    auto document = example_profile();
    document["exchanges"] = {example_exchanges_of_ranks()};
    document[Json::json_pointer{pointer}] = value;
    try {
      profile_from_json("p.json", document);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "was taken";
  };
  EXPECT_THAT(refusal("/exchanges/0/workers", 3), HasSubstr("one entry for each worker"));
  EXPECT_THAT(refusal("/exchanges/0/ranks/1/iterations",
                      Json::array({example_exchanges_of_ranks()["ranks"][1]["iterations"][0]})),
              HasSubstr("equally many iterations for each rank"));
  EXPECT_THAT(refusal("/exchanges/0/ranks/1/iterations/0/buckets/0/elements", 7),
              HasSubstr("/exchanges/0/ranks/1/iterations/0/buckets: found buckets of 7, 50"));
}

class ProfileRefuses : public ::testing::TestWithParam<Broken> {};

TEST_P(ProfileRefuses, NamingThePlace) {
  auto document = example_profile();
  document[Json::json_pointer{GetParam().pointer}] = Json::parse(GetParam().value);
  try {
    profile_from_json("p.json", document);
    FAIL() << "was taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("p.json"));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().said));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ProfileRefuses,
    ::testing::Values(
        Broken{"OtherFormat", "/format", "\"pacbench.result/1\"", "pacbench profile wrote"},
        Broken{"UnknownKey", "/forward", "3", "/forward"},
        Broken{"NoBuckets", "/buckets", "[]", "/buckets: found an empty list"},
        Broken{"ParameterTwice", "/buckets/1/parameters", "[\"fc1.bias\"]", "in two places"},
        Broken{"OtherBytes", "/buckets/0/bytes", "100", "expected 400"},
        Broken{"NoIterationOfAWorker", "/iterations/1/worker", "2", "of each worker"},
        Broken{"TooFewTimes", "/iterations/1/ready_ms", "[1]", "/iterations/1/ready_ms"},
        Broken{"TimesOutOfOrder", "/iterations/1/ready_ms", "[5, 1]", "ascending"},
        Broken{"TooFewCounts", "/sample/counts", "[1]", "/sample/counts"},
        Broken{"AssumedWithoutAssumption", "/source", "\"assumed\"", "/source"},
        Broken{"ExchangesOfAnotherModel", "/exchanges",
               R"([{"method": {"name": "topk"}, "workers": 8, "copy_gb_per_s": 10, "iterations": 5,
                    "buckets": [{"elements": 7, "steps": [], "end_ms": 1}],
                    "beside": {"elements": 0, "steps": [], "end_ms": 0}}])",
               "exchanges are of another model"},
        Broken{"UnknownCollective", "/exchanges",
               R"([{"method": {"name": "topk"}, "workers": 8, "copy_gb_per_s": 10, "iterations": 5,
                    "buckets": [{"elements": 150, "end_ms": 1, "steps": [
                      {"work_ms": 1, "op": "reduce", "dtype": "int8", "elements": 1,
                       "payload_bytes": 1}]}],
                    "beside": {"elements": 0, "steps": [], "end_ms": 0}}])",
               "/exchanges/0/buckets/0/steps/0/op"},
        Broken{"MeasuredWithAssumption", "/assumption",
               "{\"peak_tflops\": 37.4, \"utilisation\": 0.3}", "/source"}),
    [](const auto& broken) { return broken.param.name; });

/// A scenario of mode compose, with its profile mlp.json in the same folder.
class ComposeScenario : public ::testing::Test {
 protected:
  ComposeScenario() {
    write_file_atomically(folder_.path() + "/mlp.gradients", "the sample");
    profile_["sample"]["sha256"] = sha256("the sample");
    scenario_["mode"] = "compose";
    scenario_["compose"] = {{"profile", "mlp.json"}, {"curve", "results/learned"}};
  }

  Scenario read(const Json& scenario) const {
    write_file_atomically(folder_.path() + "/mlp.json", profile_.dump());
    return scenario_from_json(folder_.path() + "/s.json", scenario, example_catalogue());
  }

  Scenario read() const { return read(scenario_); }

  std::string refusal() const {
    try {
      read();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  Json profile_ = example_profile();
  Json scenario_ = example_scenario();
};

TEST_F(ComposeScenario, ReadsTheProfileBesideIt) {
  const auto scenario = read();
  ASSERT_TRUE(scenario.compose);
  EXPECT_EQ(scenario.compose->profile.parameters(), 150);
  EXPECT_EQ(scenario.compose->sample, folder_.path() + "/mlp.gradients");
  EXPECT_EQ(scenario.compose->curve, "results/learned");
  EXPECT_EQ(first_schema_error(scenario_schema(example_catalogue()), scenario_), "");
}

TEST_F(ComposeScenario, InCanonicalFormHoldsTheProfileAndReadsBackWithoutItsFile) {
  const auto canonical = to_json(read());
  const auto again = scenario_from_json("manifest.json", canonical, example_catalogue());
  EXPECT_EQ(to_json(again), canonical);
  EXPECT_EQ(again.compose->sample, "") << "it can be read, not run";
}

TEST_F(ComposeScenario, IsComparedByItsProfileAndNotByWhereTheCurveLies) {
  const auto hash = comparison_hash(read());
  scenario_["compose"]["curve"] = "elsewhere";
  EXPECT_EQ(comparison_hash(read()), hash);
  profile_["iterations"][0]["forward_ms"] = 4;
  EXPECT_NE(comparison_hash(read()), hash);
}

TEST_F(ComposeScenario, IsRefusedWithTheProfileOfAnotherModelOrBatch) {
  profile_["model"]["hidden"] = {256};
  profile_["batch_per_worker"] = 64;
  EXPECT_THAT(refusal(), HasSubstr("[256]"));
  EXPECT_THAT(refusal(), HasSubstr("found a profile of a batch of 64"));
}

TEST_F(ComposeScenario, IsRefusedWithFewerIterationsThanReplayedCallsTakeToRepeat) {
  auto exchanges = example_exchanges_of_ranks();
  exchanges["method"] = choice_to_json(read().methods[0].choice);
  for (auto& rank : exchanges["ranks"]) {
    auto& iterations = rank["iterations"];
    while (iterations.size() < 6) iterations.push_back(iterations[0]);
  }
  profile_["exchanges"] = {exchanges};
  scenario_["workers"] = 2;
  scenario_["methods"] = Json::array({scenario_["methods"][0]});
  scenario_["compose"]["exchange"] = "profile";
  scenario_["compose"]["iterations"] = 5;
  EXPECT_THAT(refusal(), HasSubstr("/compose/iterations: found 5, expected at least 6"));
  scenario_["compose"]["iterations"] = 6;
  EXPECT_EQ(refusal(), "");
}

TEST_F(ComposeScenario, IsRefusedWithoutAProfileAndWithTheSampleOfAnother) {
  scenario_["compose"]["profile"] = "absent.json";
  EXPECT_THAT(refusal(), HasSubstr("absent.json"));
  scenario_["compose"]["profile"] = "mlp.json";
  profile_["sample"]["sha256"] = "1";
  EXPECT_THAT(refusal(), HasSubstr("the sample's SHA-256 is"));
  scenario_.erase("compose");
  EXPECT_THAT(refusal(), HasSubstr("/compose"));
  EXPECT_NE(first_schema_error(scenario_schema(example_catalogue()), scenario_), "");
}

TEST_F(ComposeScenario, WithoutAProfileIsToldSoOnce) {
  const auto expect_once = [&](const char* words) {
    EXPECT_THAT(refusal(), HasSubstr(words));
    EXPECT_THAT(refusal(), Not(HasSubstr("read ")));
  };
  scenario_["compose"].erase("profile");
  expect_once("/compose/profile: missing");
  scenario_["compose"]["profile"] = "";
  expect_once("/compose/profile: found \"\"");
  scenario_["compose"]["profile"] = 3;
  expect_once("/compose/profile: found 3");
  scenario_.erase("compose");
  expect_once("/compose: missing");
}

TEST_F(ComposeScenario, InAnotherModeIsTheOneWithoutTheProfileWhichMayBeYetToCome) {
  scenario_["compose"]["profile"] = "absent.json";
  for (const char* mode : {"emulate", "learn"}) {
    scenario_["mode"] = mode;
    auto without = scenario_;
    without.erase("compose");
    EXPECT_EQ(to_json(read()), to_json(read(without))) << mode;
    EXPECT_EQ(first_schema_error(scenario_schema(example_catalogue()), scenario_), "");
  }
}

TEST_F(ComposeScenario, InAnotherModeIsRefusedAllTheSameWithKeysThatAreNone) {
  scenario_["mode"] = "emulate";
  scenario_["compose"]["profil"] = "a.json";
  EXPECT_THAT(refusal(), HasSubstr("/compose/profil: unknown key; did you mean"));
  scenario_["compose"] = {{"iterations", 5}};
  EXPECT_THAT(refusal(), HasSubstr("/compose/profile: found null"));
}

TEST_F(ComposeScenario, ThatReplaysIsRefusedWhereAMethodsExchangesAreMissing) {
  scenario_["compose"]["exchange"] = "profile";
  scenario_["workers"] = 8;
  scenario_["methods"] = {{{"name", "topk"}, {"ratio", 0.01}}, {{"name", "fp16"}}};
  profile_["exchanges"] = {example_exchanges()};
  EXPECT_THAT(refusal(), HasSubstr("/methods/1"));
  EXPECT_THAT(refusal(), HasSubstr("found no exchanges of fp16 among 8 workers"));
  EXPECT_THAT(refusal(), HasSubstr("pacbench profile SCENARIO --exchanges"));
  EXPECT_THAT(refusal(), Not(HasSubstr("/methods/0")));
  scenario_["methods"].erase(1);
  const auto scenario = read();
  EXPECT_TRUE(replays_exchanges(*scenario.compose));
  EXPECT_EQ(to_json(scenario).at("compose").at("exchange"), "profile");
  EXPECT_EQ(first_schema_error(scenario_schema(example_catalogue()), scenario_), "");
  scenario_["workers"] = 4;
  EXPECT_THAT(refusal(), HasSubstr("among 4 workers"));
}

TEST(ComposedIterations, AreAllThoseThatFitIntoTheTimeOfACellAndFourAtLeast) {
  Compose compose;
  compose.iterations = 11;
  EXPECT_EQ(iterations_that_fit(compose, 4000), 11);
  compose.cell_s = 200;
  EXPECT_EQ(iterations_that_fit(compose, 4 * 18.0), 11);
  EXPECT_EQ(iterations_that_fit(compose, 4 * 25.1), 7);
  EXPECT_EQ(iterations_that_fit(compose, 4 * 90.0), 4);
}

TEST_F(ComposeScenario, HasNoGradientsOfAModelToCompare) {
  scenario_["quality_every"] = 5;
  EXPECT_THAT(refusal(), HasSubstr("/quality_every"));
}

}  // namespace
}  // namespace pacbench::testing
