#include "analysis/export/mllog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/analysis/report/example_run.h"

namespace pacbench::exports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kToken = ":::MLLOG ";

/// The lines of the cell of fp16 with seed 1. Its accuracies are 0.1, 0.2 and 0.3 after 1, 2 and 3
/// iterations of 0.3 s. The cell reaches `target` when `target` is one of these values.
std::vector<Json> lines_of(RunResult run, double target, const char* metric = kAccuracy) {
  auto& one = report::cell(run, "fp16", 1);
  one.targets = {{{metric, target}, std::nullopt, std::nullopt}};
  for (const std::int64_t iteration : {1, 2, 3}) {
    if (0.1 * static_cast<double>(iteration) != target) continue;
    one.targets[0] = {{metric, target}, 0.3 * static_cast<double>(iteration), iteration};
  }
  one.training_s = 0.899;  // 1 ms before the last evaluation
  const TemporaryFolder folder;
  write_example_folder(folder.path(), run);
  const auto exported = open_exported_run(folder.path(), {"fp16-100Mbps-1"});
  std::istringstream text{to_mllog(exported, exported.result.cells.at(0), example_catalogue())};
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) {
    EXPECT_TRUE(line.starts_with(kToken)) << line;
    lines.push_back(Json::parse(line.substr(kToken.size())));
  }
  return lines;
}

Json only(const std::vector<Json>& lines, const std::string& key) {
  Json found;
  for (const auto& line : lines) {
    if (line.at("key") != key) continue;
    EXPECT_TRUE(found.is_null()) << key << " is there twice";
    found = line;
  }
  EXPECT_FALSE(found.is_null()) << key << " is missing";
  return found;
}

std::vector<double> accuracies(const std::vector<Json>& lines) {
  std::vector<double> values;
  for (const auto& line : lines) {
    if (line.at("key") == "eval_accuracy") values.push_back(line.at("value"));
  }
  return values;
}

TEST(Mllog, EndsWhenTheHighestTargetIsReached) {
  const auto lines = lines_of(report::example_run(), 0.2);
  const auto stop = only(lines, "run_stop");
  EXPECT_EQ(stop["metadata"]["status"], "success");
  EXPECT_EQ(stop["metadata"]["samples_count"], 2 * 8 * 32);
  EXPECT_EQ(stop["time_ms"], 600);
  EXPECT_EQ(only(lines, "run_start")["time_ms"], 0);
  EXPECT_THAT(accuracies(lines), ElementsAre(0.1, 0.2));
}

TEST(Mllog, IsAbortedAtTheEndOfACellThatDidNotReachIt) {
  const auto lines = lines_of(report::example_run(), 0.97);
  EXPECT_EQ(only(lines, "run_stop")["metadata"]["status"], "aborted");
  EXPECT_EQ(only(lines, "run_stop")["time_ms"], 900);
  EXPECT_EQ(accuracies(lines).size(), 3U);
}

TEST(Mllog, NamesTheMetricOfItsTarget) {
  EXPECT_EQ(only(lines_of(report::example_run(), 0.2), "pacbench_target_accuracy")["value"], 0.2);
  const auto lines = lines_of(report::example_run(), 1.8, kLoss);
  EXPECT_EQ(only(lines, "pacbench_target_loss")["value"], 1.8);
  const auto losses = std::count_if(lines.begin(), lines.end(), [](const Json& line) {
    return line.at("key") == "pacbench_eval_loss";
  });
  EXPECT_EQ(losses, 3);
}

TEST(Mllog, CountsTheSamplesThatWereEvaluated) {
  auto run = report::example_run();
  run.scenario["workload"]["evaluate_samples"] = 200;
  EXPECT_EQ(only(lines_of(run, 0.2), "eval_samples")["value"], 200);
}

TEST(Mllog, CountsHeldOutSamplesAsEvaluatedAndNotAsTrained) {
  auto run = report::example_run();
  run.scenario["workload"]["validation_samples"] = 99;
  const auto lines = lines_of(run, 0.2);
  EXPECT_EQ(only(lines, "train_samples")["value"], 800);
  EXPECT_EQ(only(lines, "eval_samples")["value"], 99);
}

TEST(Mllog, HasTheLearningRateOfTheMethodWhereItHasOne) {
  auto run = report::example_run();
  run.scenario["workload"]["optimizer"] = {{"name", "sgd"}, {"lr", 0.1}};
  EXPECT_EQ(only(lines_of(run, 0.2), "opt_base_learning_rate")["value"], 0.1);
  for (auto& method : run.scenario.at("methods")) method["optimizer"] = {{"lr", 0.025}};
  const auto lines = lines_of(run, 0.2);
  EXPECT_EQ(only(lines, "opt_base_learning_rate")["value"], 0.025);
  EXPECT_EQ(only(lines, "opt_name")["value"], "sgd");
}

TEST(Mllog, HasTheKeysOfEveryLineAndTimesThatDoNotGoBack) {
  std::int64_t last_ms = 0;
  for (const auto& line : lines_of(report::example_run(), 0.97)) {
    for (const char* key : {"namespace", "time_ms", "event_type", "key", "value", "metadata"}) {
      EXPECT_TRUE(line.contains(key)) << line;
    }
    EXPECT_GE(line.at("time_ms"), last_ms);
    last_ms = line.at("time_ms");
  }
}

TEST(Mllog, SaysWhatWasTrainedAndThatItIsNoSubmission) {
  const auto lines = lines_of(report::example_run(), 0.97);
  EXPECT_EQ(only(lines, "seed")["value"], 1);
  EXPECT_EQ(only(lines, "global_batch_size")["value"], 256);
  EXPECT_EQ(only(lines, "train_samples")["value"], 899);
  EXPECT_EQ(only(lines, "eval_samples")["value"], 898);
  EXPECT_EQ(only(lines, "cache_clear")["value"], false);
  EXPECT_EQ(only(lines, "submission_org")["value"], "none: this is not a submission");
}

TEST(Mllog, NamesADataSetThatTheCatalogueLacks) {
  auto run = report::example_run();
  run.scenario["workload"]["dataset"]["name"] = "stars";
  try {
    lines_of(run, 0.97);
    FAIL() << "exported it";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/scenario/workload/dataset/name: found \"stars\""));
  }
}

}  // namespace
}  // namespace pacbench::exports
