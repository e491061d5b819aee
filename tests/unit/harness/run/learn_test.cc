// Mode learn: one worker process, a child of pacbench, runs all ranks; no daemon and no privilege.
#include <signal.h>
#include <sys/resource.h>

#include "harness/store/files.h"
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

  std::string cell(const std::string& run) const { return path(run) + "/cells/a-none-1/"; }

  PacbenchProcess start_one(const std::string& run, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--out", path(run), "--only", "method=a"});
    return start(more);
  }

  /// The learning curve: iteration, rank, loss and accuracy of each event, without times.
  Json curve_of(const std::string& run) const {
    Json curve = Json::array();
    const auto add = [&](const Json& event, const std::string&, std::size_t) {
      curve.push_back({event.at("iteration"), event.value("rank", -1), event.at("loss"),
                       event.value("accuracy", -1.0)});
    };
    store::for_each_event(cell(run) + "curve.jsonl", store::Broken::kRefuse, add);
    store::for_each_event(cell(run) + "iterations.jsonl", store::Broken::kRefuse, add);
    return curve;
  }
};

TEST_F(Learn, RecordsAllRanksOfItsOneWorkerAndShowsNoTimes) {
  const auto output = run({"--out", out()});
  ASSERT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("mode learn: learning curves only, nothing was timed"));
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
  EXPECT_EQ(lines_in(cell("out") + "iterations.jsonl"), 120u);
  EXPECT_FALSE(fs::exists(cell("out") + "state-60.pt")) << "of no use once the cell is done";
}

TEST_F(Learn, NamesRankAndIterationOfAFailure) {
  const auto output = run({"--out", out(), "--set", "/methods/0/fault=nan"});
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(output.err, HasSubstr("rank 1: the loss is nan (in iteration 2)"));
  EXPECT_THAT(
      output.out,
      HasSubstr("a: seed 1 failed: rank 1: the loss is nan (in iteration 2) (counts as DNF)"));
  EXPECT_EQ(result().cells.at(1).status, CellStatus::kDone) << result().cells[1].reason;
}

TEST_F(Learn, CallsACrashAndAStopByTheirNames) {
  EXPECT_EQ(
      run({"--out", out(), "--only", "method=a", "--set", "/methods/0/fault=crash"}).status.code,
      1);
  EXPECT_THAT(result().cells.at(0).reason,
              HasSubstr("the worker of ranks 0 to 1 ended with signal 11"));
  auto process = start_one("stopped");
  ASSERT_TRUE(eventually([&] { return lines_in(cell("stopped") + "iterations.jsonl") > 2; }));
  const auto workers = process.descendants("pacbench-worker");
  ASSERT_EQ(workers.size(), 1u);
  ::kill(workers.front(), SIGSTOP);
  EXPECT_THAT(process.finish().err, HasSubstr("the worker of ranks 0 to 1 is stopped (SIGSTOP)"));
  EXPECT_TRUE(eventually([&] { return all_gone(workers); }));
}

TEST_F(Learn, IsNotKeptAliveByRanksThatWaitForOneThatIsStuck) {
  const auto output = start_one("out", {"--set", "/methods/0/fault=stuck"}).finish();
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(result().cells.at(0).reason,
              HasSubstr("nothing came from rank 1 for 2 s (timeout_s), while others wait for it"));
}

TEST_F(Learn, EndsThoughAProcessThatItsWorkerLeftHoldsTheOutputsOpen) {
  const auto start = std::chrono::steady_clock::now();
  const auto output = start_one("out", {"--set", "/methods/0/fault=orphan"}).finish();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{15});
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_EQ(result().cells.at(0).status, CellStatus::kDone) << result().cells[0].reason;
}

TEST_F(Learn, EndsAPretrainingThatStandsStill) {
  const auto initial = R"(/workload/initial={"kind": "pretrain", "dataset": {"name": "data"}})";
  const auto output =
      start_one("out", {"--set", initial, "--set", "/methods/0/fault=stop"}).finish();
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(result().cells.at(0).reason,
              HasSubstr("the pre-training failed: its worker has been stopped (SIGSTOP) for 2 s"));
}

TEST_F(Learn, GoesOnAfterKillsAtAnyPointToTheSameCurve) {
  ASSERT_EQ(start_one("whole").finish().status.code, 0);
  std::size_t lines = 0;
  for (const std::size_t more : {1u, 13u, 22u, 31u}) {
    const bool resume = fs::exists(path("killed"));
    auto process = start_one(
        "killed", resume ? std::vector<std::string>{"--resume"} : std::vector<std::string>{});
    lines += more;
    ASSERT_TRUE(eventually([&] { return lines_in(cell("killed") + "iterations.jsonl") >= lines; }));
    const auto workers = process.descendants("pacbench-worker");
    process.signal(SIGKILL);
    EXPECT_EQ(process.finish().status.signal, SIGKILL);
    EXPECT_TRUE(eventually([&] { return all_gone(workers); }, 5));
  }
  const auto output = start_one("killed", {"--resume"}).finish();
  ASSERT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("a-none-1 goes on after iteration "));
  EXPECT_EQ(curve_of("killed"), curve_of("whole"));
}

TEST_F(Learn, GoesOnAfterCtrlC) {
  auto process = start_one("out");
  ASSERT_TRUE(eventually([&] { return lines_in(cell("out") + "iterations.jsonl") >= 20; }));
  process.signal(SIGINT);
  EXPECT_EQ(process.finish().status.code, 130);
  EXPECT_EQ(result().cells.at(0).status, CellStatus::kInterrupted);
  const auto output = start_one("out", {"--resume"}).finish();
  EXPECT_THAT(output.err, HasSubstr("goes on after iteration"));
  EXPECT_EQ(result().cells.at(0).status, CellStatus::kDone);
}

TEST_F(Learn, GoesOnOnAnotherMachineAndSaysWhichWereInvolved) {
  auto process = start_one("out");
  ASSERT_TRUE(eventually([&] { return lines_in(cell("out") + "iterations.jsonl") >= 20; }));
  process.signal(SIGINT);
  process.finish();
  const auto place = path("out") + "/manifest.json";
  auto manifest = read_json_file(place);
  const auto here = std::exchange(manifest["environment"]["cpu"], "another CPU");
  write_file_atomically(place, manifest.dump());
  seal(place);
  const auto output = start_one("out", {"--resume"}).finish();
  EXPECT_EQ(output.status.code, 0) << output.err;
  const auto after = read_json_file(place);
  EXPECT_EQ(after.at("environment").at("cpu"), "another CPU");
  EXPECT_EQ(after.at("/continued/0/environment/cpu"_json_pointer), here);
}

TEST_F(Learn, GoesOnFromItsLastStateAfterAReportedFailure) {
  const std::vector<std::string> fault{"--set", "/methods/0/fault=nan", "--set",
                                       "/methods/0/fault_iteration=30"};
  ASSERT_EQ(start_one("out", fault).finish().status.code, 1);
  ASSERT_TRUE(fs::exists(cell("out") + "state-28.pt"));
  auto again = fault;
  again.emplace_back("--resume");
  const auto output = start_one("out", again).finish();
  EXPECT_EQ(output.status.code, 1) << "it fails at the same place";
  EXPECT_THAT(output.err, HasSubstr("goes on after iteration 28; deleted: "));
  EXPECT_THAT(output.err, ContainsRegex("in iteration 30"));
  EXPECT_TRUE(fs::exists(cell("out") + "state-28.pt"));
}

/// Stops all files of a process from growing, as a full disk would.
void fill_disk_of(int pid) {
  const rlimit none{0, RLIM_INFINITY};
  ASSERT_EQ(::prlimit(pid, RLIMIT_FSIZE, &none, nullptr), 0);
}

TEST_F(Learn, GoesOnToTheSameCurveAfterADiskThatWasFullWhenAStateWasToBeSaved) {
  ASSERT_EQ(start_one("whole").finish().status.code, 0);
  auto process = start_one("full");
  ASSERT_TRUE(eventually([&] { return fs::exists(cell("full") + "state-8.pt"); }));
  const auto workers = process.descendants("pacbench-worker");
  ASSERT_EQ(workers.size(), 1u);
  fill_disk_of(workers.front());
  const auto failed = process.finish();
  EXPECT_EQ(failed.status.code, 1);
  EXPECT_THAT(failed.err,
              ContainsRegex("failed: rank 0: cannot write .*state-[0-9]+.pt: File too large"));
  const auto output = start_one("full", {"--resume"}).finish();
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err,
              ContainsRegex("a-none-1 goes on after iteration [0-9]+; deleted: "
                            "[0-9]+ lines of events.jsonl, [0-9]+ lines of iterations"));
  EXPECT_EQ(curve_of("full"), curve_of("whole"));
}

TEST_F(Learn, SaysWhatItDeletesOfACellThatItCannotGoOnWith) {
  auto process = start_one("out");
  ASSERT_TRUE(eventually([&] { return fs::exists(cell("out") + "state-8.pt"); }));
  const auto workers = process.descendants("pacbench-worker");
  process.signal(SIGKILL);
  process.finish();
  EXPECT_TRUE(eventually([&] { return all_gone(workers); }, 5));
  write_file_atomically(cell("out") + "iterations.jsonl", "");
  const auto output = start_one("out", {"--resume"}).finish();
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("a-none-1 starts from the beginning: it has no saved state up "
                                    "to which all lines are there; deleted: curve.jsonl ("));
  EXPECT_THAT(output.err, ContainsRegex("iterations.jsonl .0 lines., state-[0-9]+.pt"));
}

TEST_F(Learn, RefusesToGoOnWithACellThatWasChanged) {
  auto process = start_one("out");
  ASSERT_TRUE(eventually([&] { return lines_in(cell("out") + "iterations.jsonl") >= 20; }));
  process.signal(SIGINT);
  process.finish();
  const auto curve = cell("out") + "curve.jsonl";
  const auto text = read_file(curve);
  write_file_atomically(curve, text.substr(text.find('\n') + 1));
  const auto states = [&] { return store::saved_states(cell("out")).size(); };
  const auto before = states();
  const auto output = start_one("out", {"--resume"}).finish();
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err, ContainsRegex("a-none-1/curve.jsonl: found .* lines in .*, expected "));
  EXPECT_EQ(states(), before);
  EXPECT_FALSE(read_json_file(path("out") + "/manifest.json").contains("continued"));
  write_file_atomically(curve, text);
  EXPECT_EQ(start_one("out", {"--resume"}).finish().status.code, 0);
}

TEST_F(Learn, GoesOnWithACellWhoseWorkerWasKilled) {
  ASSERT_EQ(start_one("whole").finish().status.code, 0);
  auto process = start_one("killed");
  ASSERT_TRUE(eventually([&] { return lines_in(cell("killed") + "iterations.jsonl") >= 20; }));
  const auto workers = process.descendants("pacbench-worker");
  ASSERT_EQ(workers.size(), 1u);
  ::kill(workers.front(), SIGKILL);
  EXPECT_EQ(process.finish().status.code, 1);
  const auto output = start_one("killed", {"--resume"}).finish();
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("goes on after iteration"));
  EXPECT_EQ(curve_of("killed"), curve_of("whole"));
}

TEST_F(Learn, TakesAReportedFailureForTheCauseOfATornLine) {
  const auto output = run({"--out", out(), "--set", "/methods/0/fault=torn"});
  EXPECT_THAT(output.err, HasSubstr("failed: rank 1: the disk is full (in iteration 2)"));
}

TEST_F(Learn, HasNoNumbersOfACellThatIsUnderWayAgain) {
  auto process = start_one("out");
  ASSERT_TRUE(eventually([&] { return lines_in(cell("out") + "iterations.jsonl") >= 20; }));
  process.signal(SIGINT);
  process.finish();
  ASSERT_EQ(result().cells.size(), 1u);
  const auto lines = lines_in(cell("out") + "iterations.jsonl");
  auto again = start_one("out", {"--resume"});
  ASSERT_TRUE(eventually([&] { return lines_in(cell("out") + "iterations.jsonl") > lines; }));
  again.signal(SIGKILL);
  again.finish();
  EXPECT_TRUE(result().cells.empty());
}

}  // namespace
}  // namespace pacbench::run
