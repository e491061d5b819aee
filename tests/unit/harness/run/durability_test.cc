// The order of the system calls by which a run reaches the disk, and what is left of a run that is
// killed at any of them.
#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Durable : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    const auto output = PacbenchProcess{"/usr/bin/strace", {"-o", path("trace"), "true"}}.finish();
    if (!output.status.ok()) GTEST_SKIP() << "needs strace, and leave to trace: " << output.err;
    auto scenario = fake_scenario_json();
    scenario["mode"] = "learn";
    scenario["seeds"] = {1};
    scenario["checkpoint_every"] = 2;
    scenario["methods"].erase(1);
    write_scenario(scenario);
  }

  /// Runs one cell under strace. `options` may make strace kill the run.
  Output traced(const std::vector<std::string>& options = {}) const {
    // LeakSanitizer traces the process too, and a process can have only one tracer.
    std::vector<std::string> strace{"strace", "-y",
                                    "-o",     path("trace"),
                                    "-E",     "LSAN_OPTIONS=detect_leaks=0",
                                    "-e",     "trace=fsync,rename,unlink"};
    strace.insert(strace.end(), options.begin(), options.end());
    return run({"--out", out()}, strace);
  }

  /// The calls that were made, such as "fsync curve.jsonl", without the folder and without the
  /// numbers of descriptors and processes.
  std::vector<std::string> steps() const {
    std::vector<std::string> found;
    std::istringstream trace{read_file(path("trace"))};
    const std::regex call{R"re((fsync|rename|unlink)\((?:\d+<|")([^>"]*)(?:>|", "([^"]*))?)re"};
    for (std::string line; std::getline(trace, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, call)) continue;
      const auto file = match[3].matched ? match[3].str() : match[2].str();
      const auto below = fs::path{file}.lexically_relative(out()).string();
      found.push_back(match[1].str() + " " +
                      std::regex_replace(below, std::regex{R"(\.\d+\.)"}, "."));
    }
    return found;
  }

  /// The number of times that an undisturbed run calls fsync.
  int fsyncs() const {
    EXPECT_EQ(traced().status.code, 0);
    const auto all = steps();
    return static_cast<int>(std::count_if(
        all.begin(), all.end(), [](const auto& step) { return step.starts_with("fsync"); }));
  }

  Output verify() const { return start_command({"verify", out(), "--curves", "0"}).finish(); }

  /// Runs with `injection`, such as "fsync:signal=KILL", at the call of that number. Expects that
  /// what is left can be read, and can be resumed to its end.
  Output whole_after(const std::string& injection, int call) const {
    SCOPED_TRACE(injection + " at call " + std::to_string(call));
    fs::remove_all(out());
    const auto output = traced({"-e", "inject=" + injection + ":when=" + std::to_string(call)});
    if (!fs::exists(out() + "/manifest.json")) return output;  // the run has left nothing yet
    if (fs::exists(out() + "/result.json")) {
      EXPECT_NE(verify().status.code, 1) << verify().out;
    }
    const auto resumed = run({"--out", out(), "--resume"});
    EXPECT_EQ(resumed.status.code, 0) << resumed.err;
    const auto verified = verify();
    EXPECT_EQ(verified.status.code, 0) << verified.out << verified.err;
    EXPECT_EQ(lines_in(out() + "/cells/a-none-1/iterations.jsonl"), 12u);
    return output;
  }
};

TEST_F(Durable, LinesAreOnTheDiskBeforeTheCellIsDoneAndItsStatesGoAfterThat) {
  ASSERT_EQ(traced().status.code, 0);
  const auto all = steps();
  const auto at = [&](const std::string& step, std::size_t after) {
    const auto found = std::find(all.begin() + static_cast<std::ptrdiff_t>(after), all.end(), step);
    EXPECT_NE(found, all.end()) << step << " after step " << after << " of\n  "
                                << ::testing::PrintToString(all);
    return static_cast<std::size_t>(found - all.begin());
  };
  const std::string cell = "cells/a-none-1";
  const auto done = at("rename " + cell + "/cell.json", 0);
  for (const char* lines : {"/iterations.jsonl", "/curve.jsonl", "/events.jsonl", "/worker.log",
                            "/iterations.jsonl.gz.tmp", "/cell.json.tmp"}) {
    EXPECT_LT(at("fsync " + cell + lines, 0), done);
  }
  // The folder's list of files is on the disk by then, too.
  EXPECT_LT(at("fsync " + cell, at("rename " + cell + "/iterations.jsonl.gz", 0)), done);
  const auto durable = at("fsync " + cell, done);
  const auto first_gone = std::find_if(all.begin(), all.end(), [](const auto& step) {
    return step.starts_with("unlink") && !step.ends_with(".tmp");
  });
  ASSERT_NE(first_gone, all.end());
  EXPECT_GT(static_cast<std::size_t>(first_gone - all.begin()), durable) << *first_gone;
  at("unlink " + cell + "/state-6.pt", durable);
  at("unlink " + cell + "/iterations.jsonl", durable);
  EXPECT_LT(durable, at("rename result.json", durable));
}

TEST_F(Durable, IsWholeAfterAKillAtAnyStep) {
  const auto count = fsyncs();
  ASSERT_GT(count, 15);
  for (int step = 1; step <= count; ++step) {
    EXPECT_FALSE(whole_after("fsync:signal=KILL", step).status.ok()) << step;
  }
}

TEST_F(Durable, IsWholeAfterAKillWhileItTidiesUp) {
  for (int step = 1; step <= 3; ++step) {
    EXPECT_FALSE(whole_after("unlink:signal=KILL", step).status.ok()) << step;
    EXPECT_FALSE(fs::exists(out() + "/cells/a-none-1/iterations.jsonl")) << "compressed alone";
  }
}

TEST_F(Durable, IsWholeAfterADiskThatFailsAtAnyStep) {
  const auto count = fsyncs();
  for (int step = 1; step <= count; ++step) {
    const auto output = whole_after("fsync:error=ENOSPC", step);
    EXPECT_TRUE(output.status.ok() || output.err.find("No space left") != std::string::npos)
        << step << output.err;
  }
}

TEST_F(Durable, SaysWhatItDeletesBesideACellThatIsDone) {
  ASSERT_FALSE(traced({"-e", "inject=unlink:signal=KILL:when=1"}).status.ok());
  const auto output = run({"--out", out(), "--resume"});
  EXPECT_THAT(output.err,
              HasSubstr("a-none-1 is done; deleted: iterations.jsonl, state-4.pt, state-6.pt"));
  EXPECT_THAT(run({"--out", out(), "--resume"}).err, Not(HasSubstr("deleted")));
}

}  // namespace
}  // namespace pacbench::run
