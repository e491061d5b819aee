#include <gtest/gtest.h>

#include <filesystem>

#include "base/json/json_reader.h"

namespace pacbench::testing {
namespace {

Json scenario(const std::string& name) {
  return read_json_file(PACBENCH_SOURCE_DIR "/scenarios/" + name + ".json");
}

TEST(ScenarioFiles, OfTheMainJobDifferInTheirNetworkOnly) {
  const auto wan100 = scenario("wan100");
  for (const char* name :
       {"wan500", "wan1000", "wan100-rtt30", "paper-links", "moving-link", "slow-link"}) {
    const auto other = scenario(name);
    for (const auto& [key, value] : wan100.items()) {
      if (key == "name" || key == "network") continue;
      EXPECT_EQ(other.at(key), value) << name << ": " << key;
    }
    // "compose" is for runs of the scenario in mode compose, and no part of the job.
    EXPECT_EQ(other.size() - other.count("compose"), wan100.size()) << name;
    EXPECT_EQ(other.at("name"), name);
  }
}

TEST(ScenarioFiles, OfTheMainJobOnGpusDifferInWhereItComputesOnly) {
  auto cuda = scenario("wan100-cuda");
  EXPECT_EQ(cuda.at("backend"), "nccl");
  for (const char* key : {"name", "device", "backend", "share_gpus"}) cuda.erase(key);
  auto cpu = scenario("wan100");
  for (const char* key : {"name", "device"}) cpu.erase(key);
  EXPECT_EQ(cuda, cpu);
}

TEST(ScenarioFiles, StarOrChainHasTheWorkloadOfTheMainJob) {
  EXPECT_EQ(scenario("star-or-chain").at("workload"), scenario("wan100").at("workload"));
  EXPECT_EQ(scenario("star-or-chain").at("targets"), scenario("wan100").at("targets"));
}

const std::vector<std::string> kNetworks{"vgg19-bn", "resnet18", "resnet152", "vit-b-16"};

/// The document without the parts that differ between neural networks and data sets.
Json common_part(Json document) {
  for (const char* key : {"name", "targets", "compose"}) document.erase(key);
  auto& workload = document["workload"];
  for (const char* key : {"model", "dataset"}) workload.erase(key);
  workload["initial"].erase("dataset");
  workload["initial"].erase("lr");
  workload["optimizer"].erase("lr");
  return document;
}

TEST(PaperScenarios, OfFigure3HaveOneRecipeForAllNetworksAndDataSets) {
  const auto first = scenario("paper/fig3-resnet152-cifar10");
  for (const auto& network : kNetworks) {
    for (const std::string data : {"cifar10", "cifar100"}) {
      const auto name = "fig3-" + network + "-" + data;
      const auto other = scenario("paper/" + name);
      EXPECT_EQ(common_part(other), common_part(first)) << name;
      EXPECT_EQ(other["name"], "paper-" + name);
      EXPECT_EQ(other["workload"]["dataset"]["name"], data);
      EXPECT_EQ(other["compose"]["profile"], network + "-" + data + ".profile.json");
      const auto& initial = other["workload"]["initial"];
      EXPECT_EQ(initial["lr"], other["workload"]["optimizer"]["lr"]);
      EXPECT_EQ(initial["dataset"]["name"], data) << "weights must fit";
    }
  }
}

TEST(PaperScenarios, TrainAsThePaperDoes) {
  for (const auto& file :
       std::filesystem::directory_iterator{PACBENCH_SOURCE_DIR "/scenarios/paper"}) {
    if (file.path().extension() != ".json" || file.path().stem().has_extension()) continue;
    const auto name = file.path().stem().string();
    const auto document = scenario("paper/" + name);
    EXPECT_EQ(document["name"], "paper-" + name);
    EXPECT_EQ(document["workers"], 8) << name;
    EXPECT_EQ(document["workload"]["batch_per_worker"], 32) << name;
    EXPECT_EQ(document["workload"]["max_iterations"], 100 * (50000 / 256 + 1)) << name;
    EXPECT_EQ(document["methods"][0]["name"], "all-reduce") << name;
    if (document["mode"] == "learn") continue;
    EXPECT_EQ(document["network"]["topology"], "chain3") << name;
  }
}

TEST(PaperScenarios, OfOtherFiguresHaveTheWorkloadsOfFigure3) {
  for (const auto& network : kNetworks) {
    EXPECT_EQ(scenario("paper/fig6-" + network + "-cifar10")["workload"],
              scenario("paper/fig3-" + network + "-cifar10")["workload"]);
  }
  const auto fig5 = scenario("paper/fig5-resnet152-cifar10");
  const auto fig3 = scenario("paper/fig3-resnet152-cifar10");
  EXPECT_EQ(fig5["workload"], fig3["workload"]);
  EXPECT_EQ(fig5["methods"], fig3["methods"]);
  EXPECT_EQ(fig5["network"]["links"][0], fig3["network"]["links"][2]);
  EXPECT_EQ(scenario("paper/table1-resnet18-cifar10")["workload"],
            scenario("paper/fig3-resnet18-cifar10")["workload"]);
}

TEST(PaperScenarios, OfStepTimesAreThoseOfFigure3ButForTheStartAndWhereTheyCompute) {
  const auto methods = scenario("paper/steps-resnet152-cifar10")["methods"];
  for (const auto& network : kNetworks) {
    const auto steps = scenario("paper/steps-" + network + "-cifar10");
    EXPECT_EQ(steps["mode"], "compose");
    EXPECT_EQ(steps["methods"], methods) << network;
    auto figure = scenario("paper/fig3-" + network + "-cifar10");
    EXPECT_EQ(steps["compose"]["profile"], figure["compose"]["profile"]);
    EXPECT_EQ(steps["network"], figure["network"]);
    figure["workload"]["initial"] = {{"kind", "random"}};
    EXPECT_EQ(steps["workload"], figure["workload"]) << network;
  }
}

}  // namespace
}  // namespace pacbench::testing
