#include "contract/profile/profile.h"

#include "base/files.h"
#include "base/sha256.h"
#include "contract/catalogue/choice_json.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/example_profile.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::testing {
namespace {

/// The profile of a document that reads back as itself and keeps to the schema.
Profile whole(const Json& document) {
  const auto profile = profile_from_json("p.json", document);
  EXPECT_EQ(to_json(profile_from_json("p.json", to_json(profile))), to_json(profile));
  EXPECT_EQ(first_schema_error(profile_schema(), to_json(profile)), "");
  return profile;
}

TEST(Profile, WithExchangesReadsBackAsItself) {
  auto document = example_profile();
  document["exchanges"] = {example_exchanges(), example_exchanges()};
  document["exchanges"][1]["link"] = {
      {"topology", "chain3"}, {"rate_mbit", 100}, {"groups", {3, 2, 3}}};
  const auto profile = whole(document);
  ASSERT_EQ(profile.exchanges.size(), 2U);
  EXPECT_EQ(profile.exchanges[0].payload_bytes(), 120);
  EXPECT_EQ(profile.exchanges[0].encode_ms(), 6);
  EXPECT_EQ(profile.exchanges[0].decode_ms(), 4.5);
  document["exchanges"] = {example_exchanges_of_ranks()};
  EXPECT_EQ(to_json(whole(document)).at("exchanges"), document["exchanges"]);
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
  const auto profile = whole(example_profile());
  EXPECT_EQ(profile.parameters(), 150);
  EXPECT_EQ(profile.forward_ms(), 2);
  EXPECT_EQ(profile.backward_ms(), 5);
  EXPECT_THAT(profile.ready_ms(), ElementsAre(2, 5));
}

TEST(Profile, HasIterationsOfEachWorkerForTheRanksInItsPlace) {
  auto document = example_profile();
  document["iterations"][1]["worker"] = 1;
  const auto profile = whole(document);
  ASSERT_EQ(profile.iterations_of(1).size(), 1U);
  EXPECT_EQ(profile.iterations_of(1)[0].forward_ms, 2);
  EXPECT_EQ(profile.iterations_of(2).size(), 2U);
  EXPECT_EQ(profile.iterations_of(5)[0].forward_ms, 2);
}

struct Broken {
  const char* pointer;
  Json value;
  const char* said;
};

TEST(Profile, IsRefusedWithThePlaceOfWhatDoesNotFit) {
  for (const auto& [pointer, value, said] : std::initializer_list<Broken>{
           {"/format", "pacbench.result/1", "pacbench profile wrote"},
           {"/forward", 3, "/forward"},
           {"/buckets", Json::array(), "/buckets: found an empty list"},
           {"/buckets/1/parameters", Json::array({"fc1.bias"}), "in two places"},
           {"/buckets/0/bytes", 100, "expected 400"},
           {"/iterations/1/worker", 2, "of each worker"},
           {"/iterations/1/ready_ms", Json::array({1}), "/iterations/1/ready_ms"},
           {"/iterations/1/ready_ms", {5, 1}, "ascending"},
           {"/sample/counts", Json::array({1}), "/sample/counts"},
           {"/source", "assumed", "/source"},
           {"/assumption", {{"peak_tflops", 37.4}, {"utilisation", 0.3}}, "/source"},
           {"/exchanges/0/buckets/0/elements", 7, "exchanges are of another model"},
           {"/exchanges/0/buckets/0/steps/0/op", "reduce", "/exchanges/0/buckets/0/steps/0/op"},
           {"/exchanges/1/workers", 3, "one entry for each worker"},
           {"/exchanges/1/ranks/1/iterations",
            Json::array({example_exchanges_of_ranks()["ranks"][1]["iterations"][0]}),
            "equally many iterations for each rank"},
           {"/exchanges/1/ranks/1/iterations/0/buckets/0/elements", 7,
            "/exchanges/1/ranks/1/iterations/0/buckets: found buckets of 7, 50"},
       }) {
    auto document = example_profile();
    document["exchanges"] = {example_exchanges(), example_exchanges_of_ranks()};
    document[Json::json_pointer{pointer}] = value;
    EXPECT_THAT(refusal_words([&] { profile_from_json("p.json", document); }), HasSubstr(said))
        << pointer;
  }
}

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
    return refusal_words([&] { read(); });
  }

  std::string schema_error() const {
    return first_schema_error(scenario_schema(example_catalogue()), scenario_);
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
  EXPECT_EQ(schema_error(), "");
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

TEST_F(ComposeScenario, IsRefusedWithTheProfileOfAnotherModelOrBatchAndWithQuality) {
  profile_["model"]["hidden"] = {256};
  profile_["batch_per_worker"] = 64;
  scenario_["quality_every"] = 5;  // there are no gradients of a model to compare
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("[256]"), HasSubstr("a batch of 64"), HasSubstr("/quality_every")));
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
}

TEST_F(ComposeScenario, WithoutAProfileIsToldSoOnce) {
  const auto expect_once = [&](const char* words) {
    EXPECT_THAT(refusal(), AllOf(HasSubstr(words), Not(HasSubstr("read "))));
  };
  scenario_["compose"].erase("profile");
  expect_once("/compose/profile: missing");
  scenario_["compose"]["profile"] = "";
  expect_once("/compose/profile: found \"\"");
  scenario_["compose"]["profile"] = 3;
  expect_once("/compose/profile: found 3");
  scenario_.erase("compose");
  expect_once("/compose: missing");
  EXPECT_NE(schema_error(), "");
}

TEST_F(ComposeScenario, InAnotherModeIsTheOneWithoutTheProfileWhichMayBeYetToCome) {
  scenario_["compose"]["profile"] = "absent.json";
  for (const char* mode : {"emulate", "learn"}) {
    scenario_["mode"] = mode;
    auto without = scenario_;
    without.erase("compose");
    EXPECT_EQ(to_json(read()), to_json(read(without))) << mode;
    EXPECT_EQ(schema_error(), "");
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
  EXPECT_THAT(refusal(), AllOf(HasSubstr("/methods/1"), Not(HasSubstr("/methods/0")),
                               HasSubstr("found no exchanges of fp16 among 8 workers")));
  scenario_["methods"].erase(1);
  const auto scenario = read();
  EXPECT_TRUE(replays_exchanges(*scenario.compose));
  EXPECT_EQ(to_json(scenario).at("compose").at("exchange"), "profile");
  EXPECT_EQ(schema_error(), "");
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

}  // namespace
}  // namespace pacbench::testing
