// Mode compose with the fake worker: the curves of one run with the times of another.
#include <fmt/format.h>

#include "harness/store/files.h"
#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Compose : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    write_learning();
    ASSERT_EQ(run({"--out", path("learned")}).status.code, 0);
    write_file_atomically(path("fake.gradients"), "sample");
    write_file_atomically(path("fake.json"), fake_profile(10).dump());
    composed_["mode"] = "compose";
    composed_["compose"] = {
        {"profile", "fake.json"}, {"curve", path("learned")}, {"iterations", 4}};
    write_scenario(composed_);
  }

  /// The standard error when the scenario is refused before anything has run.
  std::string refusal() {
    write_scenario(composed_);
    const auto output = run({"--out", path("refused")});
    EXPECT_EQ(output.status.code, 2) << output.out;
    return output.err;
  }

  Json composed_ = fake_scenario_json();
};

TEST_F(Compose, GivesEachEvaluationOfTheCurveItsTimeOverTheLinks) {
  const auto output = run({"--out", out()});
  ASSERT_EQ(output.status.code, 0) << output.err;
  ASSERT_EQ(result().cells.size(), 8u);
  for (const auto& cell : result().cells) {
    ASSERT_EQ(cell.status, CellStatus::kDone) << cell.reason;
    EXPECT_EQ(cell.iterations, 4) << "that crossed the links";
    EXPECT_NEAR(cell.final_accuracy.value(), 1 - 0.5 / 6, 1e-12) << "of the curve";
    const auto& target = cell.targets.at(0);
    EXPECT_EQ(target.iterations, 3);
    ASSERT_TRUE(target.tta_low_s && target.tta_high_s);
    EXPECT_LE(*target.tta_low_s, *target.tta_s);
    EXPECT_GE(*target.tta_high_s, *target.tta_s);
    EXPECT_NEAR(*target.tta_s, 3 * cell.training_s / 4, 0.2 * cell.training_s);
    EXPECT_FALSE(cell.targets.at(1).tta_s) << "never reached";
    EXPECT_FALSE(cell.targets.at(1).tta_low_s);
  }
}

TEST_F(Compose, IsVerifiedFromItsIterationsHoweverTheTimesOfItsCurveWereCountedBefore) {
  ASSERT_EQ(run({"--out", out()}).status.code, 0);
  const auto output = start_command({"verify", out()}).finish();
  EXPECT_EQ(output.status.code, 0) << output.out << output.err;
  EXPECT_THAT(output.out,
              AllOf(HasSubstr("numbers: 8 of 8 cells recomputed"), HasSubstr(path("learned"))));
  const auto curve = out() + "/cells/a-slow-1/curve.jsonl";
  const auto counted_now = read_file(curve);
  take_checksums_out();
  const auto place = counted_now.rfind("\"training_s\":") + std::string{"\"training_s\":"}.size();
  write_file_atomically(curve, std::string{counted_now}.insert(place, "9"));

  const auto verified = start_command({"verify", out(), "--curves", "0"}).finish();
  EXPECT_EQ(verified.status.code, 1) << verified.out;
  const auto lines = std::count(counted_now.begin(), counted_now.end(), '\n');
  EXPECT_THAT(verified.out,
              HasSubstr(fmt::format("a-slow-1/curve.jsonl:{}: /training_s: found 9", lines)));
  ASSERT_EQ(start_command({"recount", out()}).finish().status.code, 0);
  EXPECT_EQ(read_file(curve), counted_now);
  EXPECT_EQ(start_command({"verify", out(), "--curves", "0"}).finish().status.code, 0);
}

TEST_F(Compose, RefusesTheCurveOfAnotherScenario) {
  composed_["workload"]["optimizer"]["lr"] = 0.2;
  composed_["methods"][0]["step_ms"] = 9;
  composed_["seeds"] = {1, 7};
  EXPECT_THAT(refusal(), AllOf(HasSubstr("/workload/optimizer/lr: found 0.1, expected 0.2"),
                               HasSubstr("/methods/0/step_ms: found 5, expected 9"),
                               HasSubstr("found no seed 7")));
  EXPECT_FALSE(std::filesystem::exists(path("refused/cells")));
}

TEST_F(Compose, RefusesAFolderThatHoldsNoRunAndARunThatDidNotTrain) {
  composed_["compose"]["curve"] = path("absent");
  EXPECT_THAT(refusal(), HasSubstr("nothing is there"));
  composed_["compose"]["curve"] = path("learned");
  write_scenario(composed_);
  ASSERT_EQ(run({"--out", out(), "--only", "link=slow,seed=1,method=a"}).status.code, 0);
  composed_["compose"]["curve"] = out();
  EXPECT_THAT(refusal(), HasSubstr("/mode: found \"compose\""));
}

TEST_F(Compose, RefusesAProfileWhoseFilesAreNotThere) {
  std::filesystem::remove(path("fake.gradients"));
  EXPECT_THAT(refusal(), HasSubstr("fake.gradients"));
  composed_["compose"]["profile"] = Json::parse(read_file(path("fake.json")));
  EXPECT_THAT(refusal(), HasSubstr("expected the path of its file"));
}

TEST_F(Compose, RefusesToStartWithoutTheMemoryForItsWorkers) {
  write_file_atomically(path("fake.json"), fake_profile(1'000'000'000'000).dump());
  EXPECT_THAT(refusal(), ContainsRegex("2 workers of method . need about 12000.3 GB each"));
}

}  // namespace
}  // namespace pacbench::run
