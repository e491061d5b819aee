#include "harness/store/cell_recorder.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "harness/store/recorded_files.h"
#include "harness/store/run_folder.h"
#include "tests/unit/harness/example.h"

namespace pacbench::store::cell_recorder_test {
namespace {

using ::testing::HasSubstr;

/// While an object of this class lives, no file of this process can grow beyond `bytes`, as on a
/// full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : before_{::signal(SIGXFSZ, SIG_IGN)} {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{bytes, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    ::signal(SIGXFSZ, before_);
  }

 private:
  sighandler_t before_;
  rlimit limit_{};
};

TEST(Recorder, KeepsWholeLinesAndNamesTheFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const auto run = RunFolder::create(folder.path() + "/run");
  auto recorder = run.start(plan::plan(fake_scenario()).front());
  const auto file = run.path() + "/cells/a-slow-1/iterations.jsonl";
  recorder.event(EventKind::kIteration, "first");
  {
    const FullDisk full{10};
    try {
      recorder.event(EventKind::kIteration, "the second does not fit");
      FAIL() << "written";
    } catch (const RecordingFailed& error) {
      EXPECT_THAT(error.what(), HasSubstr(file));
    }
  }
  EXPECT_EQ(read_file(file), "first\n");
}

TEST(Recorder, KeepsLinesAsTheyAreWhereThereIsNoRoomToCompressThem) {
  const TemporaryFolder folder;
  const auto lines = folder.path() + "/iterations.jsonl";
  write_file_atomically(lines, "some\nlines\n");
  {
    const FullDisk full{10};
    store::compress_lines(folder.path());
  }
  EXPECT_THAT(store::remove_compressed_lines(folder.path()), ::testing::IsEmpty());
  EXPECT_EQ(read_file(lines), "some\nlines\n");
}

TEST(Recorder, SortsLinesByKind) {
  const TemporaryFolder folder;
  const auto run = RunFolder::create(folder.path() + "/run");
  auto recorder = run.start(plan::plan(fake_scenario()).front());
  recorder.event(EventKind::kEvaluation, "e");
  recorder.event(EventKind::kReady, "r");
  recorder.worker_log("rank 3", "one\ntwo\n");
  const auto cell = run.path() + "/cells/a-slow-1/";
  EXPECT_EQ(read_file(cell + "curve.jsonl"), "e\n");
  EXPECT_EQ(read_file(cell + "events.jsonl"), "r\n");
  EXPECT_EQ(read_file(cell + "worker.log"), "[rank 3] one\n[rank 3] two\n");
}

TEST(Recorder, BoundsWhatEachWorkerLogs) {
  const TemporaryFolder folder;
  const auto run = RunFolder::create(folder.path() + "/run");
  auto recorder = run.start(plan::plan(fake_scenario()).front());
  // The result must not depend on how much a full pipe delivers at once, or on the lines' length.
  std::string lines;
  while (lines.size() < CellRecorder::kLogBytes + 1'000'000) lines += "x\n";
  recorder.worker_log("rank 0", lines);
  recorder.worker_log("rank 0", lines);
  const auto log = run.path() + "/cells/a-slow-1/worker.log";
  const auto bytes = std::filesystem::file_size(log);
  EXPECT_GT(bytes, CellRecorder::kLogBytes - 1000);
  EXPECT_LT(bytes, CellRecorder::kLogBytes + 1000);
  recorder.worker_log("rank 1", "still heard\n");
  EXPECT_THAT(read_file(log), ::testing::EndsWith("[rank 1] still heard\n"));
}

}  // namespace
}  // namespace pacbench::store::cell_recorder_test
