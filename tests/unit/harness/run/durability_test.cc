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

  /// Runs one cell into `folder` under strace. `options` may make strace kill the run.
  Output traced(const std::string& folder, const std::vector<std::string>& options) const {
    // LeakSanitizer traces the process too, and a process can have only one tracer.
    std::vector<std::string> strace{"strace", "-y",
                                    "-o",     path("trace"),
                                    "-E",     "LSAN_OPTIONS=detect_leaks=0",
                                    "-e",     "trace=fsync,rename,unlink"};
    strace.insert(strace.end(), options.begin(), options.end());
    return run({"--out", folder}, strace);
  }

  /// The calls that were made, such as "fsync curve.jsonl", without the folder and without the
  /// numbers of descriptors and processes.
  std::vector<std::string> steps(const std::string& folder) const {
    std::vector<std::string> found;
    std::istringstream trace{read_file(path("trace"))};
    const std::regex call{R"re((fsync|rename|unlink)\((?:\d+<|")([^>"]*)(?:>|", "([^"]*))?)re"};
    for (std::string line; std::getline(trace, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, call)) continue;
      const auto file = match[3].matched ? match[3].str() : match[2].str();
      const auto below = fs::path{file}.lexically_relative(folder).string();
      found.push_back(match[1].str() + " " +
                      std::regex_replace(below, std::regex{R"(\.\d+\.)"}, "."));
    }
    return found;
  }

  std::size_t fsyncs() const {
    const auto all = steps(out());
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const auto& step) { return step.starts_with("fsync"); }));
  }

  Output verify(const std::string& folder) const {
    return start_command({"verify", folder, "--curves", "0"}).finish();
  }

  /// Expects that an interrupted run can be read, and can be resumed to its end.
  void expect_whole_after_resume(const std::string& folder) const {
    if (!fs::exists(folder + "/manifest.json")) return;  // the run has left nothing yet
    if (fs::exists(folder + "/result.json")) {
      EXPECT_NE(verify(folder).status.code, 1) << verify(folder).out;
    }
    const auto resumed = run({"--out", folder, "--resume"});
    EXPECT_EQ(resumed.status.code, 0) << resumed.err;
    const auto verified = verify(folder);
    EXPECT_EQ(verified.status.code, 0) << verified.out << verified.err;
    EXPECT_EQ(lines_in(folder + "/cells/a-none-1/iterations.jsonl"), 12u);
  }
};

TEST_F(Durable, LinesAreOnTheDiskBeforeTheCellIsDoneAndItsStatesGoAfterThat) {
  ASSERT_EQ(traced(out(), {}).status.code, 0);
  const auto all = steps(out());
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
  ASSERT_EQ(traced(out(), {}).status.code, 0);
  const auto count = fsyncs();
  ASSERT_GT(count, 15u);
  for (std::size_t step = 1; step <= count; ++step) {
    const auto folder = path("killed-" + std::to_string(step));
    const auto when = ":signal=KILL:when=" + std::to_string(step);
    const auto output = traced(folder, {"-e", "inject=fsync" + when});
    EXPECT_FALSE(output.status.ok()) << step;
    SCOPED_TRACE("killed at fsync " + std::to_string(step));
    expect_whole_after_resume(folder);
  }
}

TEST_F(Durable, IsWholeAfterAKillWhileItTidiesUp) {
  for (int step = 1; step <= 3; ++step) {
    const auto folder = path("killed-" + std::to_string(step));
    const auto when = ":signal=KILL:when=" + std::to_string(step);
    EXPECT_FALSE(traced(folder, {"-e", "inject=unlink" + when}).status.ok()) << step;
    SCOPED_TRACE("killed at unlink " + std::to_string(step));
    expect_whole_after_resume(folder);
    EXPECT_FALSE(fs::exists(folder + "/cells/a-none-1/iterations.jsonl")) << "compressed alone";
  }
}

TEST_F(Durable, IsWholeAfterADiskThatFailsAtAnyStep) {
  ASSERT_EQ(traced(out(), {}).status.code, 0);
  const auto count = fsyncs();
  for (std::size_t step = 1; step <= count; ++step) {
    const auto folder = path("full-" + std::to_string(step));
    const auto when = ":error=ENOSPC:when=" + std::to_string(step);
    const auto output = traced(folder, {"-e", "inject=fsync" + when});
    SCOPED_TRACE("no space at fsync " + std::to_string(step));
    if (!output.status.ok()) {
      EXPECT_THAT(output.err, HasSubstr("No space left"));
    }
    expect_whole_after_resume(folder);
  }
}

TEST_F(Durable, SaysWhatItDeletesBesideACellThatIsDone) {
  ASSERT_FALSE(traced(out(), {"-e", "inject=unlink:signal=KILL:when=1"}).status.ok());
  const auto output = run({"--out", out(), "--resume"});
  EXPECT_THAT(output.err,
              HasSubstr("a-none-1 is done; deleted: iterations.jsonl, state-4.pt, state-6.pt"));
  EXPECT_THAT(run({"--out", out(), "--resume"}).err, Not(HasSubstr("deleted")));
}

}  // namespace
}  // namespace pacbench::run
