// Compares a run that resumes from a saved state with one that was never interrupted, bit for bit.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/json/json_reader.h"
#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/cell/cell.h"
#include "tests/unit/trainer/print_method.h"
#include "trainer/rank/cell_state.h"

namespace pacbench::trainer::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    names.push_back(entry.path().filename());
  }
  return names;
}

class State : public ::testing::Test {
 protected:
  /// Trains to the end, and leaves the state after iteration 14 in the folder.
  Trained interrupted_after_14(WorkerSpec spec) const {
    spec.state_every = 7;
    spec.state_folder = folder.path();
    return train_over_threads(spec);
  }
  std::string file() const { return folder.path() + "/state-14.pt"; }

  TemporaryFolder folder;
};

/// All arms of arms.h, and arms whose masks settle or change at about the saved iteration.
std::vector<Choice> arms_that_remember() {
  auto arms = every_arm();
  for (const auto& arm : arms_of_even_ranks()) arms.push_back(arm);
  for (const Json& options :
       std::vector<Json>{{{"stable_after", 16}},
                         {{"prune_steps", 4}, {"prune_every", 5}, {"stable_after", 2}},
                         {{"prune_steps", 2}, {"prune_every", 14}, {"mask_source", "weights"}}}) {
    arms.push_back(with_preset("pactrain", "paper", options));
  }
  return arms;
}

TEST_F(State, ARunThatGoesOnFromItIsTheUninterruptedOne) {
  for (const auto& method : arms_that_remember()) {
    SCOPED_TRACE(::testing::PrintToString(method));
    auto spec = small_cell(method);
    const auto expected = train_over_threads(spec);
    expect_same_weights(interrupted_after_14(spec), expected);
    spec.resume_state = file();
    const auto resumed = train_over_threads(spec);
    expect_same_weights(resumed, expected);
    EXPECT_EQ(resumed.of_kind("ready")[0].at("iteration"), 14);
    EXPECT_EQ(resumed.of_kind("iteration").size(), 4U * 6);
    EXPECT_EQ(resumed.of_kind("done").size(), 4U);
    const auto curve = expected.of_kind("evaluation");
    const auto rest = resumed.of_kind("evaluation");
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_EQ(rest[0].at("iteration"), 15);
    EXPECT_EQ(rest[1].at("loss"), curve.back().at("loss"));
  }
}

TEST_F(State, RunningStatisticsOfEveryRankAreInIt) {
  auto spec = small_cell(with_defaults("all-reduce"), 3);
  spec.workload.model = {"resnet8", Json::object()};
  spec.workload.max_iterations = 16;
  const auto expected = interrupted_after_14(spec);
  spec.resume_state = file();
  const auto resumed = train_over_threads(spec);
  expect_same_weights(resumed, expected);
  EXPECT_EQ(resumed.of_kind("evaluation").back().at("loss"),
            expected.of_kind("evaluation").back().at("loss"));
}

TEST_F(State, TheLastTwoAreKept) {
  auto spec = small_cell(with_defaults("all-reduce"));
  spec.state_every = 4;
  spec.state_folder = folder.path();
  write_file_atomically(folder.path() + "/curve.jsonl", "");
  train_over_threads(spec);
  EXPECT_THAT(files_in(folder.path()),
              UnorderedElementsAre("state-16.pt", "state-20.pt", "curve.jsonl"));
  spec.resume_state = folder.path() + "/state-16.pt";
  train_over_threads(spec);
  EXPECT_THAT(files_in(folder.path()),
              UnorderedElementsAre("state-16.pt", "state-20.pt", "curve.jsonl"));
}

TEST_F(State, OfAnIterationInWhichTheTargetsStoppedTheCellDoesNotGoFurther) {
  auto spec = small_cell(with_defaults("all-reduce"));
  spec.workload.stop = "targets";
  spec.targets = {{kAccuracy, 0}};
  spec.state_every = 5;
  spec.state_folder = folder.path();
  EXPECT_EQ(train_over_threads(spec).of_kind("done")[0].at("iterations"), 10);
  spec.resume_state = folder.path() + "/state-10.pt";
  const auto resumed = train_over_threads(spec);
  EXPECT_TRUE(resumed.of_kind("iteration").empty());
  EXPECT_EQ(resumed.of_kind("done")[0].at("iterations"), 10);
}

TEST_F(State, TheClockGoesOnFromWhereItStood) {
  auto spec = small_cell(with_defaults("all-reduce"));
  const auto before = interrupted_after_14(spec).of_kind("iteration");
  spec.resume_state = file();
  const auto after = train_over_threads(spec).of_kind("iteration");
  double at_14 = 0;
  for (const auto& event : before) {
    if (event.at("iteration") == 14) at_14 = std::max(at_14, event.at("training_s").get<double>());
  }
  for (const auto& event : after) EXPECT_GT(event.at("training_s").get<double>(), at_14 * 0.5);
}

TEST_F(State, OfAnotherCellIsRefusedWithAllThatDiffers) {
  auto spec = small_cell(with_defaults("topk", {{"ratio", 0.1}}));
  interrupted_after_14(spec);
  spec.workers = 3;
  spec.method = with_defaults("all-reduce");
  spec.workload.model.options["hidden"] = {40, 23};
  spec.resume_state = file();
  EXPECT_THAT([&] { CellState{spec}; },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("/workers: the state is of a cell with 4, expected 3"),
                        HasSubstr("/method/name"), HasSubstr("/workload/model/hidden/1"))));
}

TEST_F(State, AFileThatIsNoneIsRefused) {
  auto spec = small_cell(with_defaults("all-reduce"));
  spec.resume_state = file();
  EXPECT_THROW(CellState{spec}, std::system_error);
  write_file_atomically(file(), "no tensors");
  EXPECT_THROW(CellState{spec}, ConfigError);
  save_tensors({{"weights", at::zeros({2})}}, file());
  EXPECT_THROW(CellState{spec}, ConfigError);
}

TEST_F(State, OneByteOfAWeightChangedIsSeen) {
  auto spec = small_cell(with_defaults("all-reduce"));
  interrupted_after_14(spec);
  auto tensors = load_tensors(file(), "");
  const auto weights = std::find_if(tensors.begin(), tensors.end(), [](const auto& entry) {
    return entry.second.scalar_type() == at::kFloat;
  });
  ASSERT_NE(weights, tensors.end());
  auto* byte = static_cast<char*>(weights->second.data_ptr());
  *byte = static_cast<char>(*byte ^ 1);
  save_tensors(tensors, file());
  spec.resume_state = file();
  EXPECT_THAT([&] { CellState{spec}; },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr(file()), HasSubstr("checksum"))));
}

}  // namespace
}  // namespace pacbench::trainer::test
