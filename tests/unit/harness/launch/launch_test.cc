// What Slurm is told, and what comes of it. Links that are measured instead of made.
#include "harness/launch/cluster.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"
#include "harness/launch/measured_links.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::launch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const NodeGroup kGroup{4, "/opt/pacbench/pacbench-cluster", "wan100", "login:4711"};

TEST(LaunchPlan, OneTaskIsOneRankOnAHostOfItsOwnUnlessNodesMakeTheirLinks) {
  const auto words = srun_words(kGroup);
  EXPECT_THAT(words, ::testing::IsSupersetOf({"--ntasks=4", "--ntasks-per-node=1"}));
  EXPECT_THAT(batch_script(kGroup), HasSubstr("#SBATCH --ntasks=4\n#SBATCH --ntasks-per-node=1\n"));
  EXPECT_EQ(words.at(words.size() - 3), kGroup.program);
  EXPECT_EQ(words.back(), "login:4711");
  auto group = kGroup;
  group.share_hosts = true;
  EXPECT_THAT(srun_words(group), Not(::testing::Contains("--ntasks-per-node=1")));
  EXPECT_THAT(batch_script(group), Not(HasSubstr("per-node")));
}

TEST(LaunchPlan, NoSecretIsInTheScriptWhichOtherUsersMayRead) {
  EXPECT_THAT(batch_script(kGroup), Not(HasSubstr("TOKEN")));
  EXPECT_THAT(torchrun_words(kGroup, "0a1b"), HasSubstr("PACBENCH_CLUSTER_TOKEN=0a1b"));
}

TEST(LaunchPlan, WordsForSbatchAreTakenAsAShellWould) {
  EXPECT_THAT(sbatch_words(""), ElementsAre("sbatch", "--parsable"));
  EXPECT_THAT(sbatch_words(" --gres=gpu:1\t--x=\"a 'b' c\" ''"),
              ElementsAre("sbatch", "--parsable", "--gres=gpu:1", "--x=a 'b' c", ""));
  EXPECT_THROW(sbatch_words("--comment='two words"), ConfigError);
}

LinkProfile measured(const std::string& name, double rate_mbit) {
  LinkProfile link{name, rate_mbit, rate_mbit};
  link.measured = true;
  return link;
}

Scenario with(std::vector<LinkProfile> links) {
  Scenario scenario;
  scenario.network.links = std::move(links);
  return scenario;
}

TEST(MeasuredLinks, GoOnWithTheRatesThatTheRunHasRecorded) {
  const auto resumed = with_links_of(with({measured("a", 0), measured("b", 0)}),
                                     with({measured("b", 94.1), measured("c", 5)}));
  EXPECT_TRUE(has_unknown_links(resumed));
  EXPECT_EQ(resumed.network.links[0].up_mbit, 0);
  EXPECT_EQ(resumed.network.links[1].up_mbit, 94.1);
  EXPECT_EQ(resumed.network.links[1].down_mbit, 94.1);
  EXPECT_FALSE(has_unknown_links(with({measured("a", 1)})));
}

/// Scripts in the place of Slurm's commands and of a hub. Their folder comes first in PATH while
/// this object lives.
class FakeSlurm {
 public:
  FakeSlurm() {
    ::unsetenv("SLURM_JOB_ID");
    ::setenv("PATH", (folder_.path() + ":" + path_).c_str(), 1);
    add("sbatch", "echo 7");
    add("hub", "echo '{\"event\":\"listening\",\"port\":1}'; exec timeout 10 cat > /dev/null");
  }
  ~FakeSlurm() { ::setenv("PATH", path_.c_str(), 1); }
  FakeSlurm(const FakeSlurm&) = delete;
  FakeSlurm& operator=(const FakeSlurm&) = delete;

  void add(const std::string& name, const std::string& script) {
    write_file_atomically(program(name), "#!/bin/sh\n" + script + '\n');
    std::filesystem::permissions(program(name), std::filesystem::perms::owner_all);
  }
  std::string program(const std::string& name) const { return folder_.path() + '/' + name; }

 private:
  TemporaryFolder folder_;
  std::string path_ = ::getenv("PATH");
};

TEST(SlurmJob, IsOverWhenItWillNotRunAnyMore) {
  for (const char* state : {"PENDING (Resources)", "CONFIGURING (None)", "RUNNING (None)"}) {
    EXPECT_FALSE(is_over(state)) << state;
  }
  for (const char* state : {"CANCELLED (None)", "TIMEOUT (TimeLimit)", "NODE_FAIL (None)", ""}) {
    EXPECT_TRUE(is_over(state)) << state;
  }
}

TEST(SlurmJob, IsAskedAboutOnTheClusterThatHasItAndMayGoOnWhereSqueueDoesNotAnswer) {
  FakeSlurm slurm;
  const SlurmJob job{"7", "east"};
  slurm.add("squeue", "echo 'CLUSTER: east'; echo RUNNING $1 $4");
  EXPECT_EQ(job.state(), "RUNNING --clusters=east --jobs=7");
  EXPECT_EQ(job.cancel_command(), (std::vector<std::string>{"scancel", "--clusters=east", "7"}));
  slurm.add("squeue", "echo slurm_load_jobs: Socket timed out >&2; exit 1");
  EXPECT_FALSE(is_over(SlurmJob{"7"}.state()));
  slurm.add("squeue", "echo slurm_load_jobs: Invalid job id specified >&2; exit 1");
  EXPECT_TRUE(is_over(SlurmJob{"7"}.state()));
}

/// Why the nodes of a cluster of two have not joined; empty when they have.
std::string reason(const FakeSlurm& slurm) {
  return testing::refusal_words<ProtocolError>([&] {
    const Cluster cluster{
        {"slurm", "", "127.0.0.1"}, {2, slurm.program("hub"), "run"}, [](auto&) {}};
  });
}

TEST(Cluster, EndsItsWaitForAJobThatSlurmDoesNotKnowFromTheFirstOrThatHasEnded) {
  FakeSlurm slurm;
  slurm.add("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  EXPECT_THAT(reason(slurm), AllOf(HasSubstr("job 7 is unknown to Slurm"),
                                   HasSubstr("2 of 2 nodes (ranks 0, 1) have not")));
  slurm.add("squeue", "echo 'CANCELLED (None)'");
  EXPECT_THAT(reason(slurm), HasSubstr("job 7 is CANCELLED (None)"));
}

}  // namespace
}  // namespace pacbench::launch
