// Tuning with the real worker, in one process: what is tried, chosen, recorded and resumed.
#include <filesystem>

#include "base/files.h"
#include "base/json/json_checksum.h"
#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

class TunedRun : public WithWorker {
 protected:
  /// Two methods, three learning rates or more, and at least six trainings of each method. Top-k
  /// has two settings and one seed; all-reduce has one setting, so it gets a further seed.
  Output tuned(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"run", SCENARIOS "/smoke.json", "--out", path("tuned"),
                                   "--no-progress"};
    for (const char* change :
         {R"(/mode="learn")", "/workload/max_iterations=40", "/workload/evaluate_every=4",
          R"(/methods=[{"name": "all-reduce"}, {"name": "topk", "ratio": 0.01, "tune": [
              {"ratio": 0.01}, {"ratio": 0.1}]}])",
          R"(/tune={"learning_rates": [0.05, 0.1, 0.2], "seeds": [11],
              "validation_samples": 100, "max_iterations": 30})",
          R"(/targets={"of_all_reduce": [0.5, 0.8]})", "/seeds=[1, 2, 3]"}) {
      words.insert(words.end(), {"--set", change});
    }
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }

  Json json(const std::string& file) const { return read_json_file(path(file)); }
};

TEST_F(TunedRun, RunsWhatItChoseSetsTheTargetsAndGoesOnOnAnotherMachine) {
  const auto ran = tuned();
  ASSERT_EQ(ran.status.code, 0) << ran.err;
  const auto scenario = json("tuned/manifest.json").at("scenario");
  EXPECT_FALSE(scenario.contains("tune"));
  EXPECT_GE(scenario.at("methods")[1].at("tried"), 6);
  EXPECT_TRUE(scenario.at("methods")[1].at("optimizer").contains("lr"));
  const auto result = json("tuned/result.json");
  std::vector<double> finals;
  for (const auto& cell : result.at("cells")) {
    if (cell.at("label") == "all-reduce") finals.push_back(cell.at("final_accuracy"));
  }
  std::sort(finals.begin(), finals.end());
  ASSERT_EQ(finals.size(), 3U);
  EXPECT_EQ(result.at("scenario").at("targets").at("accuracy"),
            Json({0.5 * finals[1], 0.8 * finals[1]}));
  for (const auto& cell : result.at("cells")) EXPECT_EQ(cell.at("targets").size(), 2U);
  const auto verified = command({"verify", path("tuned"), "--curves", "0"});
  EXPECT_EQ(verified.status.code, 0) << verified.out << verified.err;

  EXPECT_THAT(tuned().err, HasSubstr("--resume")) << "a folder that is there is not run over";
  const auto settings = json("tuned-tuning/settings.json");
  for (const char* method : {"all-reduce", "topk-keep1%"}) {
    const auto file = path(std::string{"tuned-tuning/"} + method + "/manifest.json");
    auto manifest = read_json_file(file);
    manifest["environment"]["cpu"] = "another CPU";
    write_file_atomically(file, with_checksum(std::move(manifest)).dump(2));
  }
  std::filesystem::remove_all(path("tuned"));
  const auto again = tuned({"--resume"});
  ASSERT_EQ(again.status.code, 0) << again.err;
  EXPECT_EQ(json("tuned-tuning/topk-keep1%/manifest.json").at("environment").at("cpu"),
            "another CPU");
  std::filesystem::remove_all(path("tuned"));
  const auto left = path("tuned-tuning/topk-keep1%/cells/2-lr=0.2-none-11");
  ASSERT_TRUE(std::filesystem::remove_all(left) > 0);
  const auto rest = tuned({"--resume"});
  EXPECT_EQ(rest.status.code, 0) << rest.err;
  EXPECT_TRUE(std::filesystem::exists(left + "/cell.json")) << "trained here";
  EXPECT_EQ(json("tuned-tuning/settings.json"), settings);
  const auto machines = [&](const std::string& method) {
    int count = 0;
    const auto manifest = json("tuned-tuning/" + method + "/manifest.json");
    for (const auto& later : manifest.value("continued", Json::array())) {
      count += later.contains("environment") ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(machines("topk-keep1%"), 1);
  EXPECT_EQ(machines("all-reduce"), 0) << "nothing of it was trained here";
}

}  // namespace
}  // namespace pacbench
