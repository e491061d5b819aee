// What a run says on its way, why its cells fail, and which of them it runs again.
#include "harness/run/progress.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/clock.h"
#include "base/files.h"
#include "harness/cell/worker_watch.h"
#include "harness/machine/process.h"
#include "harness/run/reruns.h"
#include "harness/store/resume.h"

namespace pacbench::run::progress_test {
namespace {

using ::testing::HasSubstr;

TEST(Progress, ShowsWhereTheRunStandsAndWhatIsKnown) {
  EXPECT_EQ(status_line({2, 6, "topk-keep1%", "100Mbps", 1, 45, 150, 0.931, 83.2, 96.2, 200}),
            "[2/6] topk-keep1% 100Mbps seed 1  45/150  acc 0.931  83 ms/it  96.2 Mbit/s  ETA 3:20");
  EXPECT_EQ(status_line({1, 6, "fp16", "l", 1, 0, 150}), "[1/6] fp16 l seed 1  0/150");
  EXPECT_EQ(clock_text(9.4), "0:09");
  EXPECT_EQ(clock_text(3723), "1:02:03");
}

TEST(Process, LastLinesSkipEmptyOnes) {
  EXPECT_EQ(last_lines("a\nb\n\nc\n", 2), "b | c");
  EXPECT_EQ(last_lines("", 2), "");
}

std::vector<cell::WorkerState> three_workers() {
  std::vector<cell::WorkerState> workers;
  for (int rank = 0; rank < 3; ++rank) {
    workers.emplace_back("", rank, 1);
    workers.back().first_event_ns = 1;
    workers.back().last_event_ns = monotonic_ns();
  }
  return workers;
}

TEST(Cause, IsTheKilledWorkerAndElseTheFirstReportedFailure) {
  auto workers = three_workers();
  EXPECT_FALSE(cell::cause_of_failure(workers, ""));
  workers[0].failure = "connection closed by peer";
  workers[0].exited = ExitStatus{1, 0};
  workers[2].exited = ExitStatus{0, 9};
  EXPECT_THAT(*cell::cause_of_failure(workers, "rank 0: connection closed by peer"),
              HasSubstr("rank 2 ended with signal 9"));
  for (auto& worker : workers) {
    worker.failure = "the loss is nan";
    worker.exited = ExitStatus{1, 0};
  }
  EXPECT_EQ(*cell::cause_of_failure(workers, "rank 1: the loss is nan"), "rank 1: the loss is nan");
}

TEST(FailureWords, NameTheRankOnce) {
  FailedEvent failed;
  failed.rank = 2;
  failed.message = "rank 2, bucket 0: not finite";
  EXPECT_EQ(cell::failure_words(failed), "rank 2, bucket 0: not finite");
  failed.message = "rank 20, bucket 0: not finite";
  failed.iteration = 7;
  EXPECT_EQ(cell::failure_words(failed), "rank 2: rank 20, bucket 0: not finite (in iteration 7)");
}

TEST(Silence, GivesAWorkerLongerToStart) {
  auto workers = three_workers();
  const auto now = workers[0].last_event_ns + 5'000'000'000;
  workers[0].first_event_ns = 0;
  workers[1].last_event_ns = now;
  EXPECT_THAT(*cell::silence(workers, now, 2, 30, 1), HasSubstr("workers of rank 2 for 2 s"));
  EXPECT_FALSE(cell::silence(workers, now, 10, 30, 1));
}

TEST(Silence, OfARankThatNeverReportedIsFoundThoughOthersOfItsWorkerReport) {
  std::vector<cell::WorkerState> workers;
  workers.emplace_back("", 0, 3);
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  for (std::int64_t second = 1; second <= 40; ++second) {
    for (int rank = 0; rank < 2; ++rank)
      workers[0].note_event({{"rank", rank}}, second * kSecondNs);
  }
  EXPECT_FALSE(cell::silence(workers, 30 * kSecondNs, 2, 30, 1));
  EXPECT_THAT(*cell::silence(workers, 40 * kSecondNs, 2, 30, 1), HasSubstr("rank 2 for 32 s"));
}

CellResult disturbed(std::int64_t iterations, double disturbed_iterations) {
  CellResult result;
  result.iterations = iterations;
  result.disturbed_iterations = disturbed_iterations;
  result.taken_share = 0.3;
  result.machine_verdict = Verdict{"disturbed", {"others"}};
  return result;
}

TEST(Reruns, AreForCellsOfWhichHardlyAnIterationWasQuiet) {
  EXPECT_TRUE(is_too_disturbed(disturbed(150, 140)));
  EXPECT_FALSE(is_too_disturbed(disturbed(150, 130))) << "20 quiet ones are enough";
  EXPECT_FALSE(is_too_disturbed(disturbed(1000, 970)));
  EXPECT_TRUE(is_too_disturbed(disturbed(24, 18)))
      << "six quiet ones, the first among them, repair nothing";
  EXPECT_FALSE(is_too_disturbed(disturbed(24, 17)));
  EXPECT_FALSE(is_too_disturbed(disturbed(8, 3))) << "most were quiet";
  EXPECT_TRUE(is_too_disturbed(disturbed(1, 0))) << "a program without steps, a third of it taken";
  auto other = disturbed(150, 140);
  other.machine_verdict->word = "ok";
  EXPECT_FALSE(is_too_disturbed(other));
  other = disturbed(150, 140);
  other.status = CellStatus::kFailed;
  EXPECT_FALSE(is_too_disturbed(other));
}

TEST(Tries, KeepEachFolderAndGiveOneBack) {
  const TemporaryFolder run;
  const auto cell = run.path() + "/cells/a-wan-1";
  for (const char* content : {"first", "second", "third"}) {
    std::filesystem::create_directories(cell);
    write_file_atomically(cell + "/events.jsonl", content);
    if (std::string{content} != "third") store::set_aside(run.path(), "a-wan-1");
  }
  const auto tries = store::earlier_tries(run.path(), "a-wan-1");
  ASSERT_THAT(tries, ::testing::SizeIs(2));
  store::bring_back(run.path(), "a-wan-1", tries[0]);
  EXPECT_EQ(read_file(cell + "/events.jsonl"), "first");
  EXPECT_EQ(read_file(tries[0] + "/events.jsonl"), "third");
  EXPECT_EQ(read_file(tries[1] + "/events.jsonl"), "second");
}

}  // namespace
}  // namespace pacbench::run::progress_test
