// The runner with real links, the real daemon, and fake workers that fail in many ways.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Runner : public RunnerTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root for namespaces";
    RunnerTest::SetUp();
  }

  /// Starts a run whose first cell takes long. Returns once its second iteration is recorded.
  PacbenchProcess start_long() const {
    auto process = start({"--out", out(), "--only", "seed=1", "--set", "/methods/0/step_ms=400"});
    EXPECT_TRUE(
        eventually([&] { return lines_in(out() + "/cells/a-slow-1/iterations.jsonl") >= 2; }));
    return process;
  }
};

TEST_F(Runner, RecordsAllCells) {
  const auto output = run({"--out", out()});
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_EQ(result().cells.size(), 8u);
  for (const auto& cell : result().cells) {
    EXPECT_EQ(cell.status, CellStatus::kDone) << cell.reason;
    EXPECT_EQ(cell.iterations, 6);
    EXPECT_EQ(cell.targets.at(0).iterations, 3);
    EXPECT_FALSE(cell.targets.at(1).tta_s) << "0.99 is never reached";
  }
  const auto cell = out() + "/cells/b-fast-2/";
  EXPECT_EQ(lines_in(cell + "iterations.jsonl"), 12u);
  EXPECT_EQ(lines_in(cell + "curve.jsonl"), 6u);
  const auto manifest = read_json_file(out() + "/manifest.json");
  EXPECT_EQ(manifest.at("links").at("slow").at("links").size(), 4u);
}

TEST_F(Runner, FailsTheCellOfAFaultyWorkerWithTheReasonAndTheOthersGoOn) {
  const std::map<std::string, const char*> reasons{
      {"crash", "rank 1 ended with signal 11"},
      {"exit", "rank 1 ended with exit code 3: cannot go on"},
      {"stop", "nothing came from .*rank 1 is stopped"},
      {"bytes", "rank 1 wrote a line that is not an event: no text"},
      {"nan", "rank 1: the loss is nan .in iteration 2."}};
  for (const auto& [fault, words] : reasons) {
    SCOPED_TRACE(fault);
    fs::remove_all(out());
    const auto output =
        run({"--out", out(), "--only", "link=slow,seed=1", "--set", "/methods/0/fault=" + fault});
    EXPECT_EQ(output.status.code, 1) << output.err;
    ASSERT_EQ(result().cells.size(), 2u);
    EXPECT_EQ(result().cells[0].status, CellStatus::kFailed);
    EXPECT_THAT(result().cells[0].reason, ContainsRegex(words));
    EXPECT_THAT(output.err, ContainsRegex(words));
    EXPECT_EQ(result().cells[1].status, CellStatus::kDone) << result().cells[1].reason;
  }
}

TEST_F(Runner, CallsTheDeathOfTheDaemonByItsName) {
  auto process = start_long();
  const auto daemons = process.descendants("pacbench-netd");
  ASSERT_FALSE(daemons.empty());
  const auto workers = process.descendants("pacbench-worker");
  EXPECT_EQ(workers.size(), 2u);
  ::kill(daemons.front(), SIGKILL);
  const auto output = process.finish();
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(result().cells[0].reason, HasSubstr("pacbench-netd ended with signal 9"));
  EXPECT_EQ(result().cells[1].status, CellStatus::kDone) << result().cells[1].reason;
  EXPECT_TRUE(eventually([&] { return all_gone(workers); }));
}

TEST_F(Runner, LeavesNothingWhenKilledAndCanBeResumed) {
  auto process = start_long();
  auto left = process.descendants("pacbench-netd");
  for (const int pid : process.descendants("pacbench-worker")) left.push_back(pid);
  EXPECT_GE(left.size(), 3u);
  process.signal(SIGKILL);
  process.finish();
  EXPECT_TRUE(eventually([&] { return all_gone(left); }, 5));
  EXPECT_TRUE(result().cells.empty());
  const auto again =
      run({"--out", out(), "--only", "seed=1", "--resume", "--set", "/methods/0/step_ms=400"});
  EXPECT_EQ(again.status.code, 0) << again.err;
  EXPECT_EQ(result().cells.size(), 4u);
}

TEST_F(Runner, KeepsWhatItHasOnCtrlCAndSaysHowToGoOn) {
  auto process = start_long();
  process.signal(SIGINT);
  const auto output = process.finish();
  EXPECT_EQ(output.status.code, 130) << output.err;
  EXPECT_THAT(output.err, HasSubstr("--resume"));
  ASSERT_EQ(result().cells.size(), 1u);
  EXPECT_EQ(result().cells[0].status, CellStatus::kInterrupted);
  EXPECT_GE(result().cells[0].iterations, 1);
  const auto again =
      run({"--out", out(), "--only", "seed=1", "--resume", "--set", "/methods/0/step_ms=400"});
  EXPECT_EQ(again.status.code, 0) << again.err;
  ASSERT_EQ(result().cells.size(), 4u);
  EXPECT_EQ(result().cells[0].status, CellStatus::kDone);
}

TEST_F(Runner, StopsOnCtrlCWhileItsLinksAreProbed) {
  auto process = start({"--out", out(), "--only", "seed=1"});
  std::vector<int> probes;
  ASSERT_TRUE(
      eventually([&] { return !(probes = process.descendants("pacbench-probe")).empty(); }));
  process.signal(SIGINT);
  const auto output = process.finish();
  EXPECT_EQ(output.status.code, 130) << output.err;
  EXPECT_THAT(output.err, HasSubstr("--resume"));
  EXPECT_THAT(result().cells, ::testing::IsEmpty());
  EXPECT_TRUE(eventually([&] { return all_gone(probes); }));
}

TEST_F(Runner, EndsWithThreeWhenALinkIsNotAsDeclaredUnlessThatIsAccepted) {
  write_probe("--rate-mbit 5");
  const auto output =
      start_command({"run", path("scenario.json"), "--out", out(), "--only", "seed=1,link=slow"})
          .finish();
  EXPECT_EQ(output.status.code, 3) << output.err;
  for (const auto& cell : result().cells) {
    EXPECT_EQ(cell.link_verdict.word, "suspect");
    ASSERT_EQ(cell.link_verdict.reasons.size(), 2u) << "before and after";
    EXPECT_THAT(cell.link_verdict.reasons[1], HasSubstr("the probe after the cells, worker "));
    EXPECT_LT(cell.link_probe.value(), 0.5);
  }
  const auto verified = start_command({"verify", out(), "--curves", "0"}).finish();
  EXPECT_EQ(verified.status.code, 3) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("numbers: 2 of 8 cells recomputed"));
  EXPECT_EQ(run({"--out", out(), "--only", "seed=1,link=slow", "--resume"}).status.code, 0);
}

TEST_F(Runner, MakesUpForAProbeThatARunBrokenOffLacks) {
  ASSERT_EQ(run({"--out", out(), "--only", "seed=1,link=slow"}).status.code, 0);
  // Makes the run look as if it had been killed between the last cell and the probe after it.
  const auto probes = out() + "/probes.jsonl";
  const auto text = read_file(probes);
  write_file_atomically(probes, text.substr(0, text.find('\n') + 1));
  take_checksums_out();  // those of the cells cover both probes
  ASSERT_EQ(run({"--out", out(), "--only", "seed=1,link=slow", "--resume"}).status.code, 0);
  EXPECT_EQ(lines_in(probes), 2u);
  EXPECT_EQ(lines_in(out() + "/cells/a-slow-1/iterations.jsonl"), 12u) << "it did not run again";
}

/// Whether the kernel has yet to deliver a signal to the process.
bool is_pending(int pid, int signal) {
  const auto status = read_file(fmt::format("/proc/{}/status", pid));
  const std::string key = "ShdPnd:";
  const auto set = std::stoull(status.substr(status.find(key) + key.size()), nullptr, 16);
  return (set >> (signal - 1) & 1) != 0;
}

TEST_F(Runner, EndsAtOnceOnTheSecondCtrlC) {
  auto process = start_long();
  const auto daemons = process.descendants("pacbench-netd");
  ASSERT_FALSE(daemons.empty());
  // The daemon is stopped, so that the first Ctrl-C waits for it.
  ::kill(daemons.front(), SIGSTOP);
  process.signal(SIGINT);
  // Two signals that are pending at once would count as one.
  ASSERT_TRUE(eventually([&] { return !is_pending(process.pid(), SIGINT); }));
  process.signal(SIGINT);
  EXPECT_EQ(process.finish().status.code, 130);
  for (const int pid : daemons) ::kill(pid, SIGCONT);
  EXPECT_TRUE(eventually([&] { return all_gone(daemons); }, 5));
}

TEST_F(Runner, ResumeKeepsWhatIsDoneAndRefusesAnotherScenario) {
  ASSERT_EQ(run({"--out", out(), "--only", "seed=1,link=fast,method=a"}).status.code, 0);
  const auto before = read_file(out() + "/result.json");
  const auto written = fs::last_write_time(out() + "/cells/a-fast-1/cell.json");
  const auto refused = run({"--out", out(), "--resume", "--set", "/workload/max_iterations=7"});
  EXPECT_EQ(refused.status.code, 2);
  EXPECT_THAT(refused.err, ContainsRegex("/workload/max_iterations: .*found 7.*expected 6"));
  EXPECT_EQ(read_file(out() + "/result.json"), before);
  EXPECT_EQ(run({"--out", out(), "--only", "seed=1,link=fast", "--resume"}).status.code, 0);
  EXPECT_EQ(fs::last_write_time(out() + "/cells/a-fast-1/cell.json"), written);
  EXPECT_EQ(result().cells.size(), 2u);
}

TEST_F(Runner, RefusesAFolderInUseAndOneThatCannotBeMade) {
  EXPECT_THAT(run({"--out", path("")}).err, HasSubstr("not empty"));
  EXPECT_THAT(run({"--out", "/proc/pacbench"}).err, HasSubstr("cannot be made"));
  EXPECT_EQ(run({"--resume"}).status.code, 2);
}

TEST_F(Runner, NamesTheFileWhenTheDiskIsFull) {
  const auto output = run(
      {"--out", out(), "--set", "/workload/max_iterations=2000", "--set", "/methods/0/step_ms=1"},
      {"prlimit", "--fsize=60000"});
  EXPECT_EQ(output.status.code, 1);
  EXPECT_THAT(output.err, ContainsRegex("a-slow-1/iterations.jsonl.*File too large"));
  EXPECT_EQ(read_file(out() + "/cells/a-slow-1/iterations.jsonl").back(), '\n');
}

TEST_F(Runner, SaysHowToImportAMissingDataSet) {
  const auto output = run({"--out", out(), "--set", "/workload/dataset={\"name\": \"absent\"}"});
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err, HasSubstr("/workload/dataset/name: the data set absent"));
  EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(Runner, PretrainsOncePerSeedAndReportsTheTimeAgain) {
  auto scenario = fake_scenario_json();
  scenario["workload"]["initial"] = {{"kind", "pretrain"}, {"dataset", {{"name", "data"}}}};
  write_scenario(scenario);
  auto output = run({"--out", out(), "--only", "link=fast"});
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, ContainsRegex("pre-training seed 1.*\n.*took 1.5 s"));
  for (const auto& cell : result().cells) EXPECT_DOUBLE_EQ(cell.pretrain_s, 1.5);
  output = run({"--out", path("second"), "--only", "link=fast"});
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.err, Not(HasSubstr("pre-training")));
}

TEST_F(Runner, DoctorEndsWithOneWhenNoRunIsPossible) {
  const auto doctor = [&] { return start_command({"doctor"}).finish(); };
  auto output = doctor();
  EXPECT_EQ(output.status.code, 0) << output.out;
  EXPECT_THAT(output.out, HasSubstr("yes  shaped links"));
  fs::remove(path("pacbench-worker"));
  output = doctor();
  EXPECT_EQ(output.status.code, 1);
  EXPECT_THAT(output.out, HasSubstr("NO   pacbench-worker"));
  fs::remove(path("pacbench-netd"));
  EXPECT_THAT(doctor().out,
              AllOf(HasSubstr("NO   shaped links"), Not(HasSubstr("real-time class"))));
}

TEST_F(Runner, RefusesDelayWhereDoctorSaysThatTheKernelHasNoNetemBeforeItMakesAFolder) {
  const auto doctor = Json::parse(start_command({"doctor", "--format", "json"}).finish().out);
  EXPECT_EQ(doctor.at("format"), "pacbench.doctor/1");
  std::map<std::string, bool> is_ok;
  for (const auto& finding : doctor.at("findings")) {
    const bool ok = is_ok[finding.at("what").get<std::string>()] = finding.at("ok").get<bool>();
    EXPECT_TRUE(!ok || (finding.at("cure") == "" && finding.at("without") == "")) << finding;
  }
  EXPECT_TRUE(is_ok.contains("htb") && is_ok.contains("cubic") && is_ok.contains("pacbench-probe"));
  const bool has_netem = is_ok.at("netem");
  auto scenario = fake_scenario_json();
  scenario["network"]["links"][0]["delay_ms"] = 1;
  write_scenario(scenario);
  const auto output = run({"--out", out(), "--only", "seed=1,link=slow,method=a"});
  EXPECT_EQ(output.status.code, has_netem ? 0 : 2) << output.err;
  EXPECT_EQ(fs::exists(out()), has_netem);
  const auto refusal = output.err.find("/network/links/0: netem is needed for delay");
  EXPECT_EQ(refusal == std::string::npos, has_netem) << output.err;
}

TEST_F(Runner, NamesAMissingWorkerProgram) {
  fs::remove(path("pacbench-worker"));
  const auto output = run({"--out", out(), "--only", "seed=1,link=fast,method=a"});
  EXPECT_EQ(output.status.code, 1) << output.err;
  EXPECT_THAT(output.err, HasSubstr("pacbench-worker"));
}

TEST_F(Runner, EndsWithTwoOnWrongUse) {
  EXPECT_EQ(run({"--only", "method=none"}).status.code, 2);
  EXPECT_EQ(run({"--set", "/nowhere/x=1"}).status.code, 2);
  EXPECT_EQ(run({"--no-such-option"}).status.code, 2);
}

}  // namespace
}  // namespace pacbench::run
