#include "harness/launch/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"

namespace pacbench::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const NodeGroup kGroup{4, "/opt/pacbench/pacbench-cluster", "wan100", "login:4711"};

TEST(LaunchPlan, OneTaskIsOneRankOnAHostOfItsOwn) {
  const auto words = srun_words(kGroup);
  EXPECT_THAT(words, ::testing::IsSupersetOf({"--ntasks=4", "--ntasks-per-node=1"}));
  EXPECT_THAT(batch_script(kGroup), HasSubstr("#SBATCH --ntasks=4\n#SBATCH --ntasks-per-node=1\n"));
  EXPECT_EQ(words.at(words.size() - 3), kGroup.program);
  EXPECT_EQ(words.back(), "login:4711");
}

TEST(LaunchPlan, NodesThatMakeTheirLinksMayShareAHost) {
  auto group = kGroup;
  group.share_hosts = true;
  EXPECT_THAT(srun_words(group), Not(::testing::Contains("--ntasks-per-node=1")));
  EXPECT_THAT(batch_script(group), Not(HasSubstr("per-node")));
}

// Other users may read the script of a job.
TEST(LaunchPlan, NoSecretIsInTheScript) {
  EXPECT_THAT(batch_script(kGroup), Not(HasSubstr("TOKEN")));
  EXPECT_THAT(torchrun_words(kGroup, "0a1b"), HasSubstr("PACBENCH_CLUSTER_TOKEN=0a1b"));
}

TEST(LaunchPlan, WordsForSbatchAreTakenAsAShellWould) {
  EXPECT_THAT(sbatch_words(""), ElementsAre("sbatch", "--parsable"));
  EXPECT_THAT(sbatch_words("  --gres=gpu:1\t--comment='two words' --x=\"a 'b' c\" ''"),
              ElementsAre("sbatch", "--parsable", "--gres=gpu:1", "--comment=two words",
                          "--x=a 'b' c", ""));
}

TEST(LaunchPlan, AQuoteThatIsNotClosedIsRefused) {
  EXPECT_THROW(sbatch_words("--comment='two words"), ConfigError);
}

}  // namespace
}  // namespace pacbench::launch
