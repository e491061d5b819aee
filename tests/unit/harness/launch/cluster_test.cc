#include "harness/launch/cluster.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>

#include "base/errors.h"
#include "base/files.h"

namespace pacbench::launch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

/// Why the nodes of a cluster of two have not joined; "the nodes have joined" when they have.
std::string reason(const FakeSlurm& slurm) {
  try {
    const Cluster cluster{
        {"slurm", "", "127.0.0.1"}, {2, slurm.program("hub"), "run"}, [](auto&) {}};
  } catch (const ProtocolError& error) {
    return error.what();
  }
  return "the nodes have joined";
}

TEST(Cluster, EndsItsWaitWhenSlurmDoesNotKnowTheJobFromTheFirst) {
  FakeSlurm slurm;
  slurm.add("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  EXPECT_THAT(reason(slurm), AllOf(HasSubstr("job 7 is unknown to Slurm"),
                                   HasSubstr("2 of 2 nodes (ranks 0, 1) have not")));
}

TEST(Cluster, EndsItsWaitWithTheStateOfAJobThatHasEnded) {
  FakeSlurm slurm;
  slurm.add("squeue", "echo 'CANCELLED (None)'");
  EXPECT_THAT(reason(slurm), HasSubstr("job 7 is CANCELLED (None)"));
}

}  // namespace
}  // namespace pacbench::launch
