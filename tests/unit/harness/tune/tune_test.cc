#include "harness/tune/tune.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "base/files.h"
#include "tests/unit/harness/tune/example.h"

namespace pacbench::tune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr const char* kDiverged = "the loss became nan";

/// Writes the curves of trainings whose accuracy is best with one learning rate, one ratio and one
/// score.
class Tuning : public ::testing::Test {
 protected:
  run::RunOutcome train(const run::RunRequest& asked) {
    trained.push_back(std::filesystem::path{asked.out}.filename());
    run::RunOutcome outcome;
    outcome.folder = asked.out;
    outcome.interrupted = interrupt;
    for (const auto& cell : plan::plan(asked.scenario)) {
      const auto cell_folder = fmt::format("{}/cells/{}", asked.out, cell.folder_name());
      std::filesystem::create_directories(cell_folder);
      const double accuracy = accuracy_of(cell.method);
      std::string lines;
      for (const int iteration : {0, 50, 100, 150}) {
        lines += to_json(EvaluationEvent{iteration, 0, accuracy, 0}).dump() + "\n";
      }
      write_file_atomically(cell_folder + "/curve.jsonl", lines);
      CellResult result;
      result.label = cell.method.label;
      result.link = cell.link.name;
      result.seed = cell.seed;
      result.expected_bytes_per_iteration = 1;
      if (all_fail || (one_fails && cell.method.lr == 0.2 && cell.seed == 101)) {
        result.status = CellStatus::kFailed;
        result.reason = fails_by;
        const FailedEvent failed{0, 7, fails_by, fails_by == kDiverged};
        write_file_atomically(cell_folder + "/events.jsonl", to_json(failed).dump() + "\n");
      }
      outcome.result.cells.push_back(result);
    }
    write_file_atomically(asked.out + "/manifest.json", "{}");
    return outcome;
  }

  double accuracy_of(const MethodEntry& method) const {
    const bool prunes_well = method.choice.options.value("score", "") == "magnitude";
    const bool keeps_well = method.choice.options.value("ratio", 0.0) == best_ratio;
    return 0.7 + (prunes_well ? 0.1 : 0) + (keeps_well ? 0.1 : 0) -
           0.05 * std::abs(std::log2(*method.lr / best_rate));
  }

  Tuned tuned() {
    auto document = example_document();
    document.update(changes);
    request.scenario = read(document);
    request.progress = run::Progress::Style::kNone;
    return tune(request, testing::example_catalogue(), folder.path() + "/tuning",
                [this](const run::RunRequest& trainings) { return train(trainings); });
  }
  Json settings() const { return read_json_file(folder.path() + "/tuning/settings.json"); }

  TemporaryFolder folder;
  run::RunRequest request;
  std::vector<std::string> trained;  ///< folders, in order
  Json changes = Json::object();     ///< to the example
  double best_rate = 0.1;
  double best_ratio = 0.01;
  bool interrupt = false;
  bool all_fail = false;
  bool one_fails = false;  ///< one training of each method
  std::string fails_by = kDiverged;
};

TEST_F(Tuning, PutsWhatItChoseInThePlaceOfWhatWasToBeTried) {
  const auto scenario = tuned().scenario;
  EXPECT_FALSE(scenario.tune);
  ASSERT_EQ(scenario.methods.size(), 3U);
  EXPECT_EQ(scenario.methods[2].choice.options.at("score"), "magnitude");
  EXPECT_EQ(scenario.methods[2].label, "mine");
  EXPECT_EQ(scenario.methods[2].tried, 12);
  for (const auto& method : scenario.methods) {
    EXPECT_EQ(method.lr, 0.1);
    EXPECT_TRUE(method.settings.empty());
  }
  EXPECT_EQ(scenario.workload.validation_samples, 0);
  EXPECT_EQ(scenario.seeds, (std::vector<std::int64_t>{1, 2, 3}));
  const auto chosen = settings();
  for (const auto& method : chosen.at("methods")) {
    std::int64_t trainings = 0;
    for (const auto& arm : method.at("tried")) trainings += arm.at("trainings").get<int>();
    EXPECT_EQ(trainings, 24) << "as many for " << method.at("label");
  }
}

TEST_F(Tuning, LeavesGatesTheMethodsThatTheyName) {
  changes = {{"gates", {{{"method", "topk-keep1%"}, {"metric", "bytes"}, {"max", 1e6}}}}};
  best_ratio = 0.1;
  const auto scenario = tuned().scenario;
  EXPECT_EQ(scenario.methods[1].label, "topk-keep10%");
  ASSERT_EQ(scenario.gates.size(), 1U);
  EXPECT_EQ(scenario.gates[0].method, "topk-keep10%");
}

TEST_F(Tuning, LeavesTwoMethodsThatEndAlikeTheirOwnLabels) {
  changes["methods"] = Json::parse(R"([
      {"name": "topk", "ratio": 0.01, "tune": [{"ratio": 0.01}, {"ratio": 0.05}]},
      {"name": "topk", "ratio": 0.1, "tune": [{"ratio": 0.1}, {"ratio": 0.05}]}])");
  best_ratio = 0.05;
  const auto scenario = tuned().scenario;
  EXPECT_EQ(scenario.methods[0].label, "topk-keep5%");
  EXPECT_EQ(scenario.methods[1].label, "topk-keep10%");
}

TEST_F(Tuning, ExtendsTheGridForAllWhereABestRateIsAtItsEdge) {
  best_rate = 0.8;
  const auto scenario = tuned().scenario;
  EXPECT_THAT(trained, ElementsAre("all-reduce", "topk-keep1%", "mine", "all-reduce-2",
                                   "topk-keep1%-2", "mine-2", "all-reduce-3", "topk-keep1%-3",
                                   "mine-3", "all-reduce-4", "topk-keep1%-4", "mine-4"));
  EXPECT_EQ(settings().at("learning_rates"), Json({0.05, 0.1, 0.2, 0.4, 0.8, 1.6}));
  EXPECT_EQ(scenario.methods[0].lr, 0.8);
  EXPECT_EQ(scenario.methods[0].tried, 6);
}

TEST_F(Tuning, StopsWhenItIsInterrupted) {
  interrupt = true;
  EXPECT_TRUE(tuned().interrupted);
  EXPECT_EQ(trained.size(), 1U);
}

TEST_F(Tuning, CountsATrainingThatDivergedAmongTheTried) {
  one_fails = true;
  EXPECT_EQ(tuned().scenario.methods[2].lr, 0.1);
  const auto chosen = settings();
  for (const auto& method : chosen.at("methods")) {
    EXPECT_THAT(method.at("tried"), SizeIs(Ge(3))) << method.at("label");
  }
}

TEST_F(Tuning, HoldsNoFailureButDivergenceAgainstAMethod) {
  one_fails = true;
  fails_by = "nothing came from the workers for 60 s";
  EXPECT_THAT([this] { tuned(); },
              ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("/tuning/all-reduce/cells/"),
                                                      HasSubstr(fails_by), HasSubstr("--resume"))));
}

TEST_F(Tuning, SaysOfWhichMethodNoTrainingCameToItsEnd) {
  all_fail = true;
  EXPECT_THAT([this] { tuned(); },
              ThrowsMessage<std::runtime_error>(HasSubstr("/tuning/all-reduce")));
}

}  // namespace
}  // namespace pacbench::tune
