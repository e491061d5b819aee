#include "harness/launch/slurm_job.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"

namespace pacbench::launch {
namespace {

TEST(SlurmJob, IsOverWhenItWillNotRunAnyMore) {
  for (const auto* state : {"PENDING (Resources)", "CONFIGURING (None)", "RUNNING (None)"}) {
    EXPECT_FALSE(is_over(state)) << state;
  }
  for (const auto* state : {"CANCELLED (None)", "TIMEOUT (TimeLimit)", "FAILED (NonZeroExitCode)",
                            "NODE_FAIL (None)", ""}) {
    EXPECT_TRUE(is_over(state)) << state;
  }
}

/// The state of a job when `squeue` is this script.
std::string state_by(const std::string& script, const SlurmJob& job = {"7"}) {
  const TemporaryFolder folder;
  const auto program = folder.path() + "/squeue";
  write_file_atomically(program, "#!/bin/sh\n" + script);
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
  const auto state = job.state();
  ::setenv("PATH", path.c_str(), 1);
  return state;
}

TEST(SlurmJob, IsAskedAboutOnTheClusterThatHasIt) {
  const SlurmJob job{"7", "east"};
  EXPECT_EQ(state_by("echo 'CLUSTER: east'; echo RUNNING $1 $4", job),
            "RUNNING --clusters=east --jobs=7");
  EXPECT_EQ(job.cancel_command(), (std::vector<std::string>{"scancel", "--clusters=east", "7"}));
}

TEST(SlurmJob, MayGoOnWhereSqueueDoesNotAnswer) {
  EXPECT_FALSE(is_over(state_by("echo slurm_load_jobs: Socket timed out >&2; exit 1")));
  EXPECT_TRUE(is_over(state_by("echo slurm_load_jobs: Invalid job id specified >&2; exit 1")));
  EXPECT_FALSE(is_over(state_by("echo 'PENDING (Resources)'")));
}

}  // namespace
}  // namespace pacbench::launch
