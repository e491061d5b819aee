#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/contract/example_catalogue.h"

namespace pacbench::testing {
namespace {

Scenario read_scenario(const Json& document) {
  return scenario_from_json("test.json", document, example_catalogue());
}

TEST(CanonicalScenario, ReadsBackAsItself) {
  const auto canonical = to_json(read_scenario(example_scenario()));
  EXPECT_EQ(to_json(read_scenario(canonical)).dump(), canonical.dump());
}

TEST(CanonicalScenario, HoldsEveryDefault) {
  const auto canonical = to_json(read_scenario(example_scenario()));
  EXPECT_EQ(canonical["timeout_s"], 60.0);
  EXPECT_EQ(canonical["workload"]["stop"], "iterations");
  EXPECT_EQ(canonical["workload"]["optimizer"]["schedule"]["kind"], "constant");
  EXPECT_EQ(canonical["workload"]["dataset"]["transform"], "none");
  EXPECT_EQ(canonical["workload"]["initial"]["iterations"], 200);
  EXPECT_EQ(canonical["methods"][4]["score"], "grasp");
}

TEST(Preset, IsWrittenOutAndNamedInTheLabel) {
  auto document = example_scenario();
  document["methods"][5]["preset"] = "packed";
  const auto scenario = read_scenario(document);
  EXPECT_EQ(scenario.methods[5].choice.options["score"], "magnitude");
  EXPECT_EQ(scenario.methods[5].choice.options["encoding"], "lanes");
  EXPECT_TRUE(scenario.methods[5].label.ends_with("-packed")) << scenario.methods[5].label;
  const auto canonical = to_json(scenario);
  EXPECT_FALSE(canonical["methods"][5].contains("preset"));
  EXPECT_EQ(to_json(read_scenario(canonical)), canonical);
}

TEST(Preset, GivesWayToWhatAnEntrySaysAndLeavesOutWhatWouldHaveNoEffect) {
  auto document = example_scenario();
  document["methods"][5]["preset"] = "packed";
  document["methods"][5]["score"] = "random";
  EXPECT_EQ(read_scenario(document).methods[5].choice.options["score"], "random");
  // Method 4 has "quantize": "none", with which an encoding has no effect.
  document["methods"][4]["preset"] = "packed";
  EXPECT_EQ(read_scenario(document).methods[4].choice.options["encoding"], "int8");
}

TEST(CanonicalScenario, HoldsALearningRateOfAMethodsOwn) {
  auto document = example_scenario();
  document["methods"][1]["optimizer"] = {{"lr", 0.25}};
  const auto scenario = read_scenario(document);
  EXPECT_EQ(scenario.methods[1].label, "fp16-lr=0.25");
  EXPECT_EQ(workload_of(scenario, scenario.methods[1]).optimizer.lr, 0.25);
  EXPECT_EQ(workload_of(scenario, scenario.methods[0]).optimizer.lr,
            document["workload"]["optimizer"]["lr"]);
  const auto canonical = to_json(scenario);
  EXPECT_EQ(canonical["methods"][1]["optimizer"], (Json{{"lr", 0.25}}));
  EXPECT_FALSE(canonical["methods"][0].contains("optimizer"));
  EXPECT_EQ(to_json(read_scenario(canonical)).dump(), canonical.dump());
}

TEST(CanonicalScenario, OfTargetsThatAllReduceSetsHasTheSameHashOnceTheyAreKnown) {
  auto document = example_scenario();
  document["targets"] = {{"of_all_reduce", {0.95, 0.9}}};
  const auto asked = read_scenario(document);
  EXPECT_TRUE(asked.targets.empty());
  EXPECT_EQ(asked.target_shares, (std::vector<double>{0.9, 0.95}));
  auto known = asked;
  known.targets = {{kAccuracy, 0.87}, {kAccuracy, 0.91}};
  const auto canonical = to_json(known);
  EXPECT_EQ(scenario_hash(known), scenario_hash(asked));
  EXPECT_EQ(to_json(read_scenario(canonical)), canonical);
}

TEST(CanonicalScenario, OfLossesThatAllReduceSetsHasTheSameHashOnceTheyAreKnown) {
  auto document = example_scenario();
  document["targets"] = {{"loss_of_all_reduce", {1.0, 0.5}}};
  const auto asked = read_scenario(document);
  EXPECT_EQ(asked.loss_shares, (std::vector<double>{0.5, 1.0}));
  auto known = asked;
  known.targets = {{kLoss, 2.5}, {kLoss, 2.25}};
  EXPECT_EQ(scenario_hash(known), scenario_hash(asked));
  EXPECT_EQ(to_json(read_scenario(to_json(known))), to_json(known));
}

/// The example's catalogue after a change: "encoding" was int8 by default, and is now lanes.
Catalogue with_a_new_default() {
  auto catalogue = example_catalogue();
  for (auto& method : catalogue.methods) {
    for (auto& option : method.options) {
      if (option.name != "encoding") continue;
      option.without_effect = option.default_value;
      option.default_value = "lanes";
    }
  }
  return catalogue_from_json("here", to_json(catalogue));
}

TEST(CanonicalScenario, KeepsAnOptionWithoutEffectWhenItsDefaultChanges) {
  auto document = example_scenario();
  document["methods"] = {{{"name", "pactrain"}, {"pruning_ratio", 0.5}, {"quantize", "none"}}};
  const auto before = to_json(read_scenario(document));
  const auto after = scenario_from_json("test.json", document, with_a_new_default());
  EXPECT_EQ(to_json(after), before);
  EXPECT_EQ(to_json(scenario_from_json("test.json", before, with_a_new_default())), before);
  document["methods"][0]["quantize"] = "ternary";
  const auto with_effect = scenario_from_json("test.json", document, with_a_new_default());
  EXPECT_EQ(with_effect.methods[0].choice.options.at("encoding"), "lanes");
}

TEST(CanonicalScenario, HasTodaysDefaultInASettingOfATuningThatBringsItIntoEffect) {
  auto document = example_scenario();
  document["tune"] = {
      {"learning_rates", {0.05, 0.1, 0.2}}, {"seeds", {99}}, {"validation_samples", 100}};
  document["methods"] =
      Json::array({{{"name", "pactrain"},
                    {"pruning_ratio", 0.5},
                    {"tune", Json::array({{{"quantize", "none"}}, {{"quantize", "ternary"}}})}}});
  const auto tuned = scenario_from_json("test.json", document, with_a_new_default());
  EXPECT_EQ(tuned.methods[0].settings.at(0).options.at("encoding"), "int8");
  EXPECT_EQ(tuned.methods[0].settings.at(1).options.at("encoding"), "lanes");
}

TEST(CanonicalScenario, MayHoldOneLossTwiceThatAllReduceHadAfterTwoShares) {
  auto document = example_scenario();
  document["targets"] = {{"loss_of_all_reduce", {0.5, 0.6}}, {"loss", {2.5, 2.5}}};
  EXPECT_EQ(read_scenario(document).targets, (std::vector<Target>{{kLoss, 2.5}, {kLoss, 2.5}}));
}

TEST(CanonicalScenario, IsTheSameWhetherDefaultsAreWrittenOrNot) {
  auto spelled = example_scenario();
  spelled["workload"]["stop"] = "iterations";
  spelled["methods"][4]["gradient_masking"] = true;
  spelled["workload"]["optimizer"]["weight_decay"] = 0;
  EXPECT_EQ(scenario_hash(read_scenario(spelled)),
            scenario_hash(read_scenario(example_scenario())));
}

TEST(CanonicalScenario, TakesOneAndOnePointZeroForTheSameNumber) {
  auto spelled = example_scenario();
  spelled["network"]["links"][0]["rate_mbit"] = 100.0;
  EXPECT_EQ(scenario_hash(read_scenario(spelled)),
            scenario_hash(read_scenario(example_scenario())));
}

TEST(CanonicalScenario, NamesWhatCarriesCollectivesOnGpusOnly) {
  const auto on_cpu = to_json(read_scenario(example_scenario()));
  EXPECT_FALSE(on_cpu.contains("backend"));
  EXPECT_FALSE(on_cpu.contains("share_gpus"));
  auto document = example_scenario();
  document["device"] = "cuda";
  const auto on_gpus = to_json(read_scenario(document));
  EXPECT_EQ(on_gpus["backend"], "gloo");
  EXPECT_EQ(on_gpus["share_gpus"], false);
  document["mode"] = "learn";
  EXPECT_FALSE(to_json(read_scenario(document)).contains("backend"));
}

TEST(CanonicalScenario, ThatLeavesTheDeviceOpenReadsBackAsItself) {
  auto document = example_scenario();
  document["device"] = "auto";
  document["share_gpus"] = true;
  for (const bool over_gloo : {false, true}) {
    if (over_gloo) document["backend"] = "gloo";
    const auto scenario = read_scenario(document);
    const auto again = read_scenario(to_json(scenario));
    EXPECT_EQ(again.device, "auto");
    EXPECT_TRUE(again.share_gpus);
    EXPECT_EQ(again.backend, over_gloo ? "gloo" : "auto");
    EXPECT_EQ(to_json(again).dump(), to_json(scenario).dump());
  }
}

TEST(CanonicalScenario, IsComparedWithRunsOfItsDeviceBackendAndSharingOnly) {
  auto document = example_scenario();
  std::set<std::string> hashes{comparison_hash(read_scenario(document))};
  document["device"] = "cuda";
  hashes.insert(comparison_hash(read_scenario(document)));
  document["backend"] = "nccl";
  hashes.insert(comparison_hash(read_scenario(document)));
  document["share_gpus"] = true;
  hashes.insert(comparison_hash(read_scenario(document)));
  EXPECT_EQ(hashes.size(), 4U);
}

TEST(CanonicalScenario, HasTheTargetsHardestToReachLast) {
  auto document = example_scenario();
  document["targets"] = {{"loss", {1.8, 2.5, 2.0}}, {"accuracy", {0.9, 0.5}}};
  const auto scenario = read_scenario(document);
  EXPECT_THAT(scenario.targets,
              ::testing::ElementsAre(Target{kAccuracy, 0.5}, Target{kAccuracy, 0.9},
                                     Target{kLoss, 2.5}, Target{kLoss, 2.0}, Target{kLoss, 1.8}));
  EXPECT_EQ(to_json(scenario)["targets"].dump(), R"({"accuracy":[0.5,0.9],"loss":[2.5,2.0,1.8]})");
  EXPECT_EQ(to_json(read_scenario(to_json(scenario))).dump(), to_json(scenario).dump());
}

TEST(CanonicalScenario, MayHaveTargetsOfTheLossAlone) {
  auto document = example_scenario();
  document["targets"] = {{"loss", {1.8}}};
  EXPECT_EQ(to_json(read_scenario(document))["targets"], document["targets"]);
}

TEST(CanonicalScenario, ThatEvaluatesAllSamplesIsTheOneThatDoesNotSayHowMany) {
  auto spelled = example_scenario();
  spelled["workload"]["evaluate_samples"] = 0;
  EXPECT_EQ(comparison_hash(read_scenario(spelled)),
            comparison_hash(read_scenario(example_scenario())));
  spelled["workload"]["evaluate_samples"] = 100;
  EXPECT_EQ(to_json(read_scenario(to_json(read_scenario(spelled))))["workload"]["evaluate_samples"],
            100);
}

TEST(Labels, TellMethodsApartByTheirOptions) {
  std::vector<std::string> labels;
  for (const auto& method : read_scenario(example_scenario()).methods)
    labels.push_back(method.label);
  EXPECT_THAT(labels, ::testing::ElementsAre("all-reduce", "fp16", "topk-keep10%", "topk-keep1%",
                                             "pactrain-prune50%-grasp-float32",
                                             "pactrain-prune50%-grasp-ternary-int8"));
}

TEST(Labels, NameOptionsThatAreNotAtTheirDefault) {
  auto document = example_scenario();
  document["methods"] =
      Json::parse(R"([{"name": "pactrain", "gradient_masking": false, "stable_after": 5}])");
  EXPECT_EQ(read_scenario(document).methods[0].label,
            "pactrain-prune50%-grasp-float32-gradient_masking=false-stable_after=5");
}

TEST(Labels, MayBeGiven) {
  auto document = example_scenario();
  document["methods"][0]["label"] = "dense";
  EXPECT_EQ(read_scenario(document).methods[0].label, "dense");
}

TEST(LearnScenario, DoesWithoutANetwork) {
  auto document = example_scenario();
  document["mode"] = "learn";
  const auto with_network = read_scenario(document);
  document.erase("network");
  const auto without = read_scenario(document);
  EXPECT_EQ(to_json(without).dump(), to_json(with_network).dump());
  EXPECT_FALSE(to_json(without).contains("network"));
  EXPECT_EQ(to_json(read_scenario(to_json(without))).dump(), to_json(without).dump());
  ASSERT_EQ(link_profiles(without).size(), 1u);
  EXPECT_EQ(link_profiles(without)[0].name, "none");
}

TEST(LearnScenario, IsNotComparableWithAnEmulatedOne) {
  auto document = example_scenario();
  document["mode"] = "learn";
  EXPECT_NE(comparison_hash(read_scenario(document)),
            comparison_hash(read_scenario(example_scenario())));
}

struct Change {
  const char* name;
  const char* pointer;
  const char* value;
};
void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

Scenario changed(const Change& change) {
  auto document = example_scenario();
  document[Json::json_pointer{change.pointer}] = Json::parse(change.value);
  return read_scenario(document);
}

class Ignored : public ::testing::TestWithParam<Change> {};
TEST_P(Ignored, ByComparisonHash) {
  const auto example = read_scenario(example_scenario());
  EXPECT_EQ(comparison_hash(changed(GetParam())), comparison_hash(example));
  EXPECT_NE(scenario_hash(changed(GetParam())), scenario_hash(example));
}
INSTANTIATE_TEST_SUITE_P(All, Ignored,
                         ::testing::Values(Change{"Name", "/name", "\"other\""},
                                           Change{"Seeds", "/seeds", "[4]"},
                                           Change{"Methods", "/methods/2/ratio", "0.2"},
                                           Change{"Targets", "/targets/accuracy", "[0.5]"},
                                           Change{"LossTargets", "/targets/loss", "[1.8]"},
                                           Change{"Timeout", "/timeout_s", "30"},
                                           Change{"Quality", "/quality_every", "5"},
                                           Change{"Checkpoints", "/checkpoint_every", "5"}));

class Compared : public ::testing::TestWithParam<Change> {};
TEST_P(Compared, ByComparisonHash) {
  EXPECT_NE(comparison_hash(changed(GetParam())),
            comparison_hash(read_scenario(example_scenario())));
}
INSTANTIATE_TEST_SUITE_P(
    All, Compared,
    ::testing::Values(Change{"Workers", "/workers", "4"}, Change{"Mtu", "/network/mtu", "9000"},
                      Change{"Accounting", "/network/rate_accounting", "\"wire\""},
                      Change{"CongestionControl", "/network/congestion_control", "\"reno\""},
                      Change{"Rate", "/network/links/0/rate_mbit", "101"},
                      Change{"LinkName", "/network/links/0/name", "\"slow\""},
                      Change{"Model", "/workload/model/hidden", "[512]"},
                      Change{"Dataset", "/workload/dataset/transform", "\"rotate90\""},
                      Change{"Batch", "/workload/batch_per_worker", "16"},
                      Change{"LearningRate", "/workload/optimizer/lr", "0.2"},
                      Change{"Momentum", "/workload/optimizer/momentum", "0.8"},
                      Change{"WeightDecay", "/workload/optimizer/weight_decay", "0.1"},
                      Change{"Schedule", "/workload/optimizer/schedule", R"({"kind": "cosine"})"},
                      Change{"Initial", "/workload/initial", R"({"kind": "random"})"},
                      Change{"PretrainIterations", "/workload/initial/iterations", "10"},
                      Change{"MaxIterations", "/workload/max_iterations", "10"},
                      Change{"EvaluateEvery", "/workload/evaluate_every", "10"},
                      Change{"ValidationSamples", "/workload/validation_samples", "50"},
                      Change{"EvaluateSamples", "/workload/evaluate_samples", "50"},
                      Change{"Stop", "/workload/stop", "\"targets\""}));

}  // namespace
}  // namespace pacbench::testing
