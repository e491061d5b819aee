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
std::string state_by(const std::string& script) {
  const TemporaryFolder folder;
  const auto program = folder.path() + "/squeue";
  write_file_atomically(program, "#!/bin/sh\n" + script);
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
  const auto state = SlurmJob{"7"}.state();
  ::setenv("PATH", path.c_str(), 1);
  return state;
}

TEST(SlurmJob, MayGoOnWhereSqueueDoesNotAnswer) {
  EXPECT_FALSE(is_over(state_by("echo slurm_load_jobs: Socket timed out >&2; exit 1")));
  EXPECT_TRUE(is_over(state_by("echo slurm_load_jobs: Invalid job id specified >&2; exit 1")));
  EXPECT_FALSE(is_over(state_by("echo 'PENDING (Resources)'")));
}

}  // namespace
}  // namespace pacbench::launch
