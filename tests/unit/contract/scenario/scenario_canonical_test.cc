#include <gmock/gmock.h>

#include <set>

#include "tests/unit/contract/example_catalogue.h"

namespace pacbench::testing {
namespace {

/// The canonical form. Expects that it reads back as itself.
Json canonical_of(const Json& document) {
  const auto canonical = to_json(read_scenario(document));
  EXPECT_EQ(to_json(read_scenario(canonical)).dump(), canonical.dump());
  return canonical;
}

TEST(CanonicalScenario, HoldsEveryDefaultAndReadsBackAsItself) {
  const auto canonical = canonical_of(example_scenario());
  EXPECT_EQ(canonical["timeout_s"], 60.0);
  EXPECT_EQ(canonical["workload"]["stop"], "iterations");
  EXPECT_EQ(canonical["workload"]["optimizer"]["schedule"]["kind"], "constant");
  EXPECT_EQ(canonical["workload"]["dataset"]["transform"], "none");
  EXPECT_EQ(canonical["workload"]["initial"]["iterations"], 200);
  EXPECT_EQ(canonical["methods"][4]["score"], "grasp");
}

TEST(Preset, IsWrittenOutNamedInTheLabelAndGivesWayToWhatAnEntrySays) {
  auto document = example_scenario();
  document["methods"][5]["preset"] = "packed";
  const auto scenario = read_scenario(document);
  EXPECT_EQ(scenario.methods[5].choice.options["score"], "magnitude");
  EXPECT_EQ(scenario.methods[5].choice.options["encoding"], "lanes");
  EXPECT_TRUE(scenario.methods[5].label.ends_with("-packed")) << scenario.methods[5].label;
  const auto canonical = canonical_of(document);
  EXPECT_FALSE(canonical["methods"][5].contains("preset"));
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
  const auto canonical = canonical_of(document);
  EXPECT_EQ(canonical["methods"][1]["optimizer"], (Json{{"lr", 0.25}}));
  EXPECT_FALSE(canonical["methods"][0].contains("optimizer"));
}

TEST(CanonicalScenario, OfTargetsThatAllReduceSetsHasTheSameHashOnceTheyAreKnown) {
  auto document = example_scenario();
  document["targets"] = {{"of_all_reduce", {0.95, 0.9}}};
  auto asked = read_scenario(document);
  EXPECT_TRUE(asked.targets.empty());
  EXPECT_EQ(asked.target_shares, (std::vector<double>{0.9, 0.95}));
  const auto expect_same_once_known = [&](const std::vector<Target>& targets) {
    auto known = asked;
    known.targets = targets;
    EXPECT_EQ(scenario_hash(known), scenario_hash(asked));
    EXPECT_EQ(canonical_of(to_json(known)), to_json(known));
  };
  expect_same_once_known({{kAccuracy, 0.87}, {kAccuracy, 0.91}});
  document["targets"] = {{"loss_of_all_reduce", {1.0, 0.5}}};
  asked = read_scenario(document);
  EXPECT_EQ(asked.loss_shares, (std::vector<double>{0.5, 1.0}));
  expect_same_once_known({{kLoss, 2.5}, {kLoss, 2.25}});
  document["targets"] = {{"loss_of_all_reduce", {0.5, 0.6}}, {"loss", {2.5, 2.5}}};
  EXPECT_EQ(read_scenario(document).targets, (std::vector<Target>{{kLoss, 2.5}, {kLoss, 2.5}}))
      << "all-reduce had one loss after two shares";
}

/// The scenario after a change of the catalogue: "encoding" was int8 by default, and is now lanes.
Scenario read_after(const Json& document) {
  auto catalogue = example_catalogue();
  for (auto& method : catalogue.methods) {
    for (auto& option : method.options) {
      if (option.name != "encoding") continue;
      option.without_effect = option.default_value;
      option.default_value = "lanes";
    }
  }
  return scenario_from_json("test.json", document, catalogue_from_json("here", to_json(catalogue)));
}

TEST(CanonicalScenario, KeepsAnOptionWithoutEffectWhenItsDefaultChanges) {
  auto document = example_scenario();
  document["methods"] = {{{"name", "pactrain"}, {"pruning_ratio", 0.5}, {"quantize", "none"}}};
  const auto before = canonical_of(document);
  EXPECT_EQ(to_json(read_after(document)), before);
  EXPECT_EQ(to_json(read_after(before)), before);
  document["methods"][0]["quantize"] = "ternary";
  EXPECT_EQ(read_after(document).methods[0].choice.options.at("encoding"), "lanes");
}

TEST(CanonicalScenario, HasTodaysDefaultInASettingOfATuningThatBringsItIntoEffect) {
  auto document = example_scenario();
  document["tune"] = {
      {"learning_rates", {0.05, 0.1, 0.2}}, {"seeds", {99}}, {"validation_samples", 100}};
  document["methods"] = Json::parse(R"([{"name": "pactrain", "pruning_ratio": 0.5, "tune": [
      {"quantize": "none"}, {"quantize": "ternary"}]}])");
  const auto tuned = read_after(document);
  EXPECT_EQ(tuned.methods[0].settings.at(0).options.at("encoding"), "int8");
  EXPECT_EQ(tuned.methods[0].settings.at(1).options.at("encoding"), "lanes");
}

TEST(CanonicalScenario, IsTheSameWhetherDefaultsAreWrittenOrNot) {
  auto spelled = example_scenario();
  spelled["workload"]["stop"] = "iterations";
  spelled["methods"][4]["gradient_masking"] = true;
  spelled["workload"]["optimizer"]["weight_decay"] = 0;
  spelled["network"]["links"][0]["rate_mbit"] = 100.0;
  spelled["workload"]["evaluate_samples"] = 0;
  EXPECT_EQ(scenario_hash(read_scenario(spelled)),
            scenario_hash(read_scenario(example_scenario())));
}

TEST(CanonicalScenario, NamesWhatCarriesCollectivesOnGpusOnly) {
  const auto on_cpu = canonical_of(example_scenario());
  EXPECT_FALSE(on_cpu.contains("backend") || on_cpu.contains("share_gpus"));
  auto document = example_scenario();
  document["device"] = "cuda";
  const auto on_gpus = canonical_of(document);
  EXPECT_EQ(on_gpus["backend"], "gloo");
  EXPECT_EQ(on_gpus["share_gpus"], false);
  document["mode"] = "learn";
  EXPECT_FALSE(canonical_of(document).contains("backend"));
}

TEST(CanonicalScenario, ThatLeavesTheDeviceOpenReadsBackAsItself) {
  auto document = example_scenario();
  document["device"] = "auto";
  document["share_gpus"] = true;
  for (const bool over_gloo : {false, true}) {
    if (over_gloo) document["backend"] = "gloo";
    const auto again = read_scenario(canonical_of(document));
    EXPECT_EQ(again.device, "auto");
    EXPECT_TRUE(again.share_gpus);
    EXPECT_EQ(again.backend, over_gloo ? "gloo" : "auto");
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
  EXPECT_EQ(canonical_of(document)["targets"].dump(),
            R"({"accuracy":[0.5,0.9],"loss":[2.5,2.0,1.8]})");
  document["targets"] = {{"loss", {1.8}}};
  EXPECT_EQ(canonical_of(document)["targets"], document["targets"]);
}

TEST(Labels, TellMethodsApartByTheirOptionsUnlessTheyAreGiven) {
  std::vector<std::string> labels;
  const auto scenario = read_scenario(example_scenario());
  for (const auto& method : scenario.methods) labels.push_back(method.label);
  EXPECT_THAT(labels, ::testing::ElementsAre("all-reduce", "fp16", "topk-keep10%", "topk-keep1%",
                                             "pactrain-prune50%-grasp-float32",
                                             "pactrain-prune50%-grasp-ternary-int8"));
  auto document = example_scenario();
  document["methods"] = Json::parse(R"([{"name": "fp16", "label": "dense"}, {"name": "pactrain",
                                         "gradient_masking": false, "stable_after": 5}])");
  const auto methods = read_scenario(document).methods;
  EXPECT_EQ(methods[0].label, "dense");
  EXPECT_EQ(methods[1].label,
            "pactrain-prune50%-grasp-float32-gradient_masking=false-stable_after=5");
}

TEST(LearnScenario, DoesWithoutANetwork) {
  auto document = example_scenario();
  document["mode"] = "learn";
  const auto with_network = read_scenario(document);
  document.erase("network");
  const auto without = read_scenario(document);
  EXPECT_EQ(to_json(without).dump(), to_json(with_network).dump());
  EXPECT_FALSE(canonical_of(document).contains("network"));
  ASSERT_EQ(link_profiles(without).size(), 1u);
  EXPECT_EQ(link_profiles(without)[0].name, "none");
}

/// A place of the example, and JSON that is put there.
using Changes = std::initializer_list<std::pair<const char*, const char*>>;

Scenario changed(const char* pointer, const char* value) {
  auto document = example_scenario();
  document[Json::json_pointer{pointer}] = Json::parse(value);
  return read_scenario(document);
}

TEST(ComparisonHash, IsTheSameWhateverTheseKeysAre) {
  const auto example = read_scenario(example_scenario());
  for (const auto& [pointer, value] : Changes{{"/name", "\"other\""},
                                              {"/seeds", "[4]"},
                                              {"/methods/2/ratio", "0.2"},
                                              {"/targets/accuracy", "[0.5]"},
                                              {"/targets/loss", "[1.8]"},
                                              {"/timeout_s", "30"},
                                              {"/quality_every", "5"},
                                              {"/checkpoint_every", "5"}}) {
    EXPECT_EQ(comparison_hash(changed(pointer, value)), comparison_hash(example)) << pointer;
    EXPECT_NE(scenario_hash(changed(pointer, value)), scenario_hash(example)) << pointer;
  }
}

TEST(ComparisonHash, IsAnotherWhereRunsCannotBeCompared) {
  const auto hash = comparison_hash(read_scenario(example_scenario()));
  for (const auto& [pointer, value] :
       Changes{{"/mode", "\"learn\""},
               {"/workers", "4"},
               {"/network/mtu", "9000"},
               {"/network/rate_accounting", "\"wire\""},
               {"/network/congestion_control", "\"reno\""},
               {"/network/links/0/rate_mbit", "101"},
               {"/network/links/0/name", "\"slow\""},
               {"/workload/model/hidden", "[512]"},
               {"/workload/dataset/transform", "\"rotate90\""},
               {"/workload/batch_per_worker", "16"},
               {"/workload/optimizer/lr", "0.2"},
               {"/workload/optimizer/momentum", "0.8"},
               {"/workload/optimizer/weight_decay", "0.1"},
               {"/workload/optimizer/schedule", R"({"kind": "cosine"})"},
               {"/workload/initial", R"({"kind": "random"})"},
               {"/workload/initial/iterations", "10"},
               {"/workload/max_iterations", "10"},
               {"/workload/evaluate_every", "10"},
               {"/workload/validation_samples", "50"},
               {"/workload/evaluate_samples", "50"},
               {"/workload/stop", "\"targets\""}}) {
    EXPECT_NE(comparison_hash(changed(pointer, value)), hash) << pointer;
  }
}

}  // namespace
}  // namespace pacbench::testing
