#include "harness/launch/slurm_job.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pacbench::launch
