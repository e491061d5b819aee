#include "trainer/rank/event_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "base/files.h"

namespace pacbench::trainer::event_log_test {
namespace {

/// Writes an event as a worker does whose library prints, with `path` as standard output.
[[noreturn]] void report_beside_a_talkative_library(const std::string& path) {
  ::dup2(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600), STDOUT_FILENO);
  const int events = claim_standard_output();
  std::puts("NCCL INFO something");
  std::fflush(stdout);
  EventLog::end_process(events, {0, 7, "the end", false});
}

TEST(EventLog, IsAloneOnStandardOutput) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/out";
  EXPECT_EXIT(report_beside_a_talkative_library(path), ::testing::ExitedWithCode(1),
              "NCCL INFO something");
  const auto event = Json::parse(read_file(path));
  EXPECT_EQ(event.at("iteration"), 7);
}

}  // namespace
}  // namespace pacbench::trainer::event_log_test
