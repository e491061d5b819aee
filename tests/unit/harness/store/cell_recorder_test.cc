#include "harness/store/run_folder.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "base/files.h"
#include "harness/store/cell_file.h"

namespace pacbench::store::cell_recorder_test {
namespace {

TEST(Recorder, KeepsLinesAsTheyAreWhereThereIsNoRoomToCompressThem) {
  const TemporaryFolder folder;
  const auto lines = folder.path() + "/iterations.jsonl";
  write_file_atomically(lines, "some\nlines\n");
  // No file of this process can grow beyond 10 bytes for now, as on a full disk.
  const auto before = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{10, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  compress_lines(folder.path());
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, before);
  EXPECT_THAT(remove_compressed_lines(folder.path()), ::testing::IsEmpty());
  EXPECT_EQ(read_file(lines), "some\nlines\n");
}

TEST(Recorder, BoundsWhatEachWorkerLogs) {
  const TemporaryFolder folder;
  CellRecorder recorder{folder.path()};
  // The result must not depend on how much a full pipe delivers at once, or on the lines' length.
  std::string lines;
  while (lines.size() < CellRecorder::kLogBytes + 1'000'000) lines += "x\n";
  recorder.worker_log("rank 0", lines);
  recorder.worker_log("rank 0", lines);
  const auto log = folder.path() + "/worker.log";
  const auto bytes = std::filesystem::file_size(log);
  EXPECT_GT(bytes, CellRecorder::kLogBytes - 1000);
  EXPECT_LT(bytes, CellRecorder::kLogBytes + 1000);
  recorder.worker_log("rank 1", "still\nheard\n");
  EXPECT_THAT(read_file(log), ::testing::EndsWith("[rank 1] still\n[rank 1] heard\n"));
}

}  // namespace
}  // namespace pacbench::store::cell_recorder_test
