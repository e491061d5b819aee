#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/end_to_end/with_worker.h"

namespace pacbench {
namespace {

using ::testing::ContainsRegex;

class Faults : public WithWorker {
 protected:
  /// Starts a long cell of all-reduce with short cells after it. Returns once the long one trains.
  PacbenchProcess start_long() const {
    auto process = start({"--set", "/network/links/0/rate_mbit=20", "--set", "/timeout_s=3"});
    EXPECT_TRUE(eventually(
        [&] { return lines_in(out() + "/cells/all-reduce-200Mbps-1/iterations.jsonl") >= 4; }, 90));
    return process;
  }

  /// Expects that the long cell alone fails, for `words`, when a worker gets `signal`.
  void expect_named(int signal, const char* words) const {
    auto process = start_long();
    const auto workers = process.descendants("pacbench-worker");
    ASSERT_EQ(workers.size(), 4u);
    ::kill(workers[2], signal);
    EXPECT_EQ(process.finish().status.code, 1);
    ASSERT_EQ(result().cells.size(), 3u);
    EXPECT_EQ(result().cells[0].status, CellStatus::kFailed);
    EXPECT_THAT(result().cells[0].reason, ContainsRegex(words));
    EXPECT_EQ(result().cells[1].status, CellStatus::kDone) << result().cells[1].reason;
    EXPECT_TRUE(eventually([&] { return all_gone(workers); }));
  }
};

TEST_F(Faults, AKilledWorkerIsNamed) { expect_named(SIGKILL, "rank [0-3] ended with signal 9"); }

TEST_F(Faults, AStoppedWorkerIsNamedAfterTheTimeout) {
  expect_named(SIGSTOP, "the worker of rank [0-3] is stopped");
}

/// A cgroup (version 1 or 2) with little memory; absent where none can be made.
class SmallMemory {
 public:
  explicit SmallMemory(std::int64_t bytes) {
    for (const auto& [root, limit] : {std::pair{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
                                      std::pair{"/sys/fs/cgroup", "memory.max"}}) {
      path_ = fmt::format("{}/pacbench-test-{}", root, ::getpid());
      if (::mkdir(path_.c_str(), 0755) == 0) {
        // The kernel makes this file in a cgroup's folder. Without it the folder is no cgroup.
        std::fstream file{path_ + "/" + limit, std::ios::in | std::ios::out};
        if (file << bytes << std::flush) return;
        ::rmdir(path_.c_str());
      }
    }
    path_.clear();
  }
  SmallMemory(const SmallMemory&) = delete;
  SmallMemory& operator=(const SmallMemory&) = delete;
  ~SmallMemory() {
    if (!path_.empty()) eventually([&] { return ::rmdir(path_.c_str()) == 0; });
  }

  explicit operator bool() const { return !path_.empty(); }

  /// The words that start a program in this cgroup.
  std::vector<std::string> prefix() const {
    return {"sh", "-c", fmt::format("echo $$ > {}/cgroup.procs && exec \"$0\" \"$@\"", path_)};
  }

 private:
  std::string path_;
};

TEST_F(Faults, AWorkerThatTheKernelEndedForWantOfMemoryIsNamedAsSuch) {
  const SmallMemory group{250'000'000};
  if (!group) GTEST_SKIP() << "needs a memory cgroup that can be made below the root one";
  PacbenchProcess process{
      PACBENCH_BIN "/pacbench",
      {"run", SCENARIOS "/smoke.json", "--set", "/mode=\"learn\"", "--set",
       "/workload/model/hidden=[8192,8192]", "--only", "method=all-reduce", "--out", out()},
      group.prefix()};
  const auto output = process.finish();
  EXPECT_EQ(output.status.code, 1) << output.err;
  ASSERT_EQ(result().cells.size(), 1u);
  EXPECT_EQ(result().cells[0].status, CellStatus::kFailed);
  EXPECT_THAT(result().cells[0].reason,
              ContainsRegex("ranks 0 to 3 ended with signal 9 .* which had no memory left"));
}

}  // namespace
}  // namespace pacbench
