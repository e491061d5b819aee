// Mode learn: one worker process, a child of pacbench, runs all ranks; no daemon and no privilege.
#include <signal.h>

#include <map>

#include "harness/store/resume.h"
#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Learn : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    auto scenario = fake_scenario_json();
    scenario["mode"] = "learn";
    scenario.erase("network");
    scenario["workload"]["max_iterations"] = 60;
    scenario["checkpoint_every"] = 4;
    scenario["quality_every"] = 10;
    scenario["seeds"] = {1};
    scenario["methods"][0]["step_ms"] = 10;
    write_scenario(scenario);
  }

  std::string cell() const { return out() + "/cells/a-none-1/"; }

  PacbenchProcess start_one(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--out", out(), "--only", "method=a"});
    return start(more);
  }

  /// Starts the cell of a, and returns once it has recorded so many lines of iterations.
  PacbenchProcess start_until(std::size_t lines, const std::vector<std::string>& more = {}) const {
    auto process = start_one(more);
    EXPECT_TRUE(eventually([&] { return lines_in(cell() + "iterations.jsonl") >= lines; }));
    return process;
  }

  /// Runs the cell until Ctrl-C ends it in its midst.
  void break_off() const {
    auto process = start_until(20);
    process.signal(SIGINT);
    EXPECT_EQ(process.finish().status.code, 130);
    EXPECT_EQ(result().cells.at(0).status, CellStatus::kInterrupted);
  }

  /// Kills pacbench, with which its worker ends.
  static void kill(PacbenchProcess& process) {
    const auto workers = process.descendants("pacbench-worker");
    process.signal(SIGKILL);
    EXPECT_EQ(process.finish().status.signal, SIGKILL);
    EXPECT_TRUE(eventually([&] { return all_gone(workers); }, 5));
  }
};

TEST_F(Learn, RecordsAllRanksOfItsOneWorkerAndShowsNoTimes) {
  const auto output = run({"--out", out()});
  ASSERT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("iterations to 80 %"));
  EXPECT_THAT(output.out, Not(ContainsRegex("TTA|ms per iteration|Mbit/s")));
  ASSERT_EQ(result().cells.size(), 2u);
  for (const auto& done : result().cells) {
    EXPECT_EQ(done.status, CellStatus::kDone) << done.reason;
    EXPECT_EQ(done.link, "none");
    EXPECT_EQ(done.iterations, 60);
    EXPECT_DOUBLE_EQ(done.vnmse.value(), 0.25 * (1.0 / 30 + 1.0 / 40) / 2);
    EXPECT_DOUBLE_EQ(done.residual_norm.value(), 2);
  }
  EXPECT_EQ(lines_in(cell() + "iterations.jsonl"), 120u);
  EXPECT_FALSE(fs::exists(cell() + "state-60.pt")) << "of no use once the cell is done";
}

TEST_F(Learn, NamesWhatItsCellFailedForAndGoesOnWithTheNext) {
  const std::map<std::string, const char*> reasons{
      {"nan", "rank 1: the loss is nan (in iteration 2)"},
      {"torn", "rank 1: the disk is full (in iteration 2)"},  // and not the torn line beside it
      {"crash", "the worker of ranks 0 to 1 ended with signal 11"},
      {"stop", "the worker of ranks 0 to 1 is stopped (SIGSTOP)"}};
  for (const auto& [fault, words] : reasons) {
    fs::remove_all(out());
    const auto output = run({"--out", out(), "--set", "/methods/0/fault=" + fault});
    EXPECT_EQ(output.status.code, 1) << output.err;
    EXPECT_THAT(output.err, HasSubstr(words));
    EXPECT_EQ(result().cells.at(1).status, CellStatus::kDone) << result().cells[1].reason;
  }
}

TEST_F(Learn, IsNotKeptAliveByRanksThatWaitForOneThatIsStuck) {
  const auto output = start_one({"--set", "/methods/0/fault=stuck"}).finish();
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(result().cells.at(0).reason,
              HasSubstr("nothing came from rank 1 for 2 s (timeout_s), while others wait for it"));
}

TEST_F(Learn, EndsThoughAProcessThatItsWorkerLeftHoldsTheOutputsOpen) {
  const auto start = std::chrono::steady_clock::now();
  const auto output = start_one({"--set", "/methods/0/fault=orphan"}).finish();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{15});
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_EQ(result().cells.at(0).status, CellStatus::kDone) << result().cells[0].reason;
}

TEST_F(Learn, EndsAPretrainingThatStandsStill) {
  const auto initial = R"(/workload/initial={"kind": "pretrain", "dataset": {"name": "data"}})";
  const auto output = start_one({"--set", initial, "--set", "/methods/0/fault=stop"}).finish();
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(result().cells.at(0).reason,
              HasSubstr("the pre-training failed: its worker has been stopped (SIGSTOP) for 2 s"));
}

TEST_F(Learn, GoesOnAfterCtrlCOnAnotherMachineAndSaysWhichWereInvolved) {
  break_off();
  const auto place = out() + "/manifest.json";
  auto manifest = read_json_file(place);
  const auto here = std::exchange(manifest["environment"]["cpu"], "another CPU");
  write_file_atomically(place, manifest.dump());
  seal(place);
  const auto output = start_one({"--resume"}).finish();
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("goes on after iteration"));
  const auto after = read_json_file(place);
  EXPECT_EQ(after.at("environment").at("cpu"), "another CPU");
  EXPECT_EQ(after.at("/continued/0/environment/cpu"_json_pointer), here);
}

TEST_F(Learn, GoesOnFromItsLastStateAfterAReportedFailure) {
  std::vector<std::string> words{"--set", "/methods/0/fault=nan", "--set",
                                 "/methods/0/fault_iteration=30"};
  ASSERT_EQ(start_one(words).finish().status.code, 1);
  ASSERT_TRUE(fs::exists(cell() + "state-28.pt"));
  words.emplace_back("--resume");
  const auto output = start_one(words).finish();
  EXPECT_EQ(output.status.code, 1) << "it fails at the same place";
  EXPECT_THAT(output.err, HasSubstr("goes on after iteration 28; deleted: "));
  EXPECT_THAT(output.err, ContainsRegex("in iteration 30"));
  EXPECT_TRUE(fs::exists(cell() + "state-28.pt"));
}

TEST_F(Learn, SaysWhatItDeletesOfACellThatItCannotGoOnWith) {
  auto process = start_until(20);
  kill(process);
  write_file_atomically(cell() + "iterations.jsonl", "");
  const auto output = start_one({"--resume"}).finish();
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, ContainsRegex("a-none-1 starts from the beginning: .*; deleted: curve.*"
                                        "iterations.jsonl .0 lines., state-[0-9]+.pt"));
}

TEST_F(Learn, RefusesToGoOnWithACellThatWasChanged) {
  break_off();
  const auto curve = cell() + "curve.jsonl";
  const auto text = read_file(curve);
  write_file_atomically(curve, text.substr(text.find('\n') + 1));
  const auto states = [&] { return store::saved_states(cell()).size(); };
  const auto before = states();
  const auto output = start_one({"--resume"}).finish();
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err, ContainsRegex("a-none-1/curve.jsonl: found .* lines in .*, expected "));
  EXPECT_EQ(states(), before);
  EXPECT_FALSE(read_json_file(out() + "/manifest.json").contains("continued"));
  write_file_atomically(curve, text);
  EXPECT_EQ(start_one({"--resume"}).finish().status.code, 0);
}

TEST_F(Learn, HasNoNumbersOfACellThatIsUnderWayAgain) {
  break_off();
  auto again = start_until(lines_in(cell() + "iterations.jsonl") + 1, {"--resume"});
  kill(again);
  EXPECT_TRUE(result().cells.empty());
}

}  // namespace
}  // namespace pacbench::run
