// Scenarios that ask for GPUs. The fake worker says whether the machine has any.
#include <unistd.h>

#include <map>

#include "contract/worker/gpus.h"
#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

class Gpus : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    scenario_["device"] = "cuda";
  }

  Output run_on(const Devices& devices, std::vector<std::string> arguments = {}) {
    write_scenario(scenario_);
    arguments.insert(arguments.begin(), {"--out", out()});
    return run(arguments, {"FAKE_DEVICES=" + to_json(devices).dump()});
  }

  Output command_on(const Devices& devices, const std::vector<std::string>& words) const {
    return start_command(words, {"FAKE_DEVICES=" + to_json(devices).dump()}).finish();
  }

  /// The standard error when the scenario is refused before anything has run.
  std::string refusal_on(const Devices& devices) {
    const auto output = run_on(devices);
    EXPECT_EQ(output.status.code, 2) << output.out;
    EXPECT_FALSE(std::filesystem::exists(out()));
    return output.err;
  }

  /// What each checkpoint that was made for runs was made from, by its contents.
  std::map<std::string, Json> checkpoints() const {
    std::map<std::string, Json> all;
    for (const auto& entry : std::filesystem::directory_iterator{path("cache/checkpoints")}) {
      const auto file = entry.path().string();
      if (!file.ends_with(".pt")) continue;
      all[read_file(file)] = read_json_file(file + ".json").at("made_from");
    }
    return all;
  }

  Json scenario_ = fake_scenario_json();
  const Devices none_{{}, "torch finds no GPU", "", "this build has no NCCL"};
  const Devices one_{{"one"}, "", "2.28.9", ""};
  const Devices two_{{"one", "another"}, "", "2.28.9", ""};
};

TEST_F(Gpus, AreAskedForBeforeAnythingIsStarted) {
  EXPECT_THAT(refusal_on(one_), HasSubstr("/share_gpus: found 1 GPU for 2 workers"));
  scenario_["backend"] = "nccl";
  EXPECT_THAT(refusal_on(none_),
              AllOf(HasSubstr("/backend: found \"nccl\", but this build has no NCCL"),
                    HasSubstr("/device: found \"cuda\", but torch finds no GPU")));
  scenario_.erase("backend");
  scenario_["mode"] = "learn";
  EXPECT_THAT(refusal_on(none_), HasSubstr("torch finds no GPU"));
}

TEST_F(Gpus, AreRecordedAndInsistedOnWhenTheRunGoesOn) {
  scenario_["mode"] = "learn";
  ASSERT_EQ(run_on(one_).status.code, 0);
  const auto place = out() + "/manifest.json";
  auto manifest = read_json_file(place);
  EXPECT_EQ(manifest.at("devices"), Json({{"gpus", {"one"}}}));
  const auto again = run_on(two_, {"--resume"});
  EXPECT_EQ(again.status.code, 2);
  EXPECT_THAT(again.err, HasSubstr("/devices/gpus: the run was started with GPUs [\"one\"]"));
  EXPECT_EQ(run_on(one_, {"--resume"}).status.code, 0);
  manifest.erase("devices");
  write_file_atomically(place, with_checksum(manifest).dump());
  EXPECT_THAT(run_on(one_, {"--resume"}).err, HasSubstr("does not say with which GPUs"));
}

TEST_F(Gpus, PretrainWeightsOfTheirOwn) {
  scenario_["mode"] = "learn";
  scenario_["workload"]["initial"] = {{"kind", "pretrain"}, {"dataset", {{"name", "data"}}}};
  ASSERT_EQ(run_on(one_, {"--only", "seed=1"}).status.code, 0);
  EXPECT_EQ(checkpoints().at("weights made on cuda").at("gpu"), "one");
  scenario_.erase("device");
  std::filesystem::remove_all(out());
  ASSERT_EQ(run_on(none_, {"--only", "seed=1"}).status.code, 0);
  ASSERT_EQ(checkpoints().size(), 2u);
  EXPECT_FALSE(checkpoints().at("weights made on cpu").contains("gpu")) << "as it ever was";
}

TEST_F(Gpus, AreTakenByDeviceAutoWhereThereAreEnough) {
  scenario_["device"] = "auto";
  const auto on_cpu = run_on(one_, {"--dry-run"});
  EXPECT_THAT(on_cpu.out, StartsWith("device cpu: found 1 GPU for 2 workers"));
  const auto on_gpus = run_on(two_, {"--dry-run"});
  EXPECT_THAT(on_gpus.out, StartsWith("device cuda over nccl: 2 GPUs for 2 workers (auto)\n"));
  EXPECT_THAT(on_gpus.out, HasSubstr("2 workers on cuda over NCCL,"));
  const auto valid = command_on(two_, {"validate", path("scenario.json")});
  EXPECT_THAT(valid.out, HasSubstr("valid, 8 cells; device cuda over nccl"));
}

TEST_F(Gpus, ThatDeviceAutoTookAreThoseOfTheRunFromThenOn) {
  scenario_["device"] = "auto";
  scenario_["mode"] = "learn";
  const auto started = run_on(none_, {"--only", "seed=1"});
  ASSERT_EQ(started.status.code, 0) << started.err;
  const auto manifest = read_json_file(out() + "/manifest.json");
  EXPECT_EQ(manifest.at("scenario").at("device"), "cpu");
  EXPECT_EQ(manifest.at("device"),
            Json({{"asked", "auto"}, {"taken", "cpu"}, {"reason", "torch finds no GPU"}}));
  EXPECT_FALSE(manifest.contains("devices")) << "no GPU took part";
  const auto elsewhere = run_on(one_, {"--resume"});
  EXPECT_EQ(elsewhere.status.code, 2);
  EXPECT_THAT(elsewhere.err, HasSubstr("/device: the run was started on cpu"));
  EXPECT_EQ(
      run_on(one_, {"--resume", "--set", "/device=cpu", "--only", "seed=2,method=a"}).status.code,
      0);
  EXPECT_EQ(run_on(none_, {"--resume"}).status.code, 0);
  EXPECT_EQ(result().cells.size(), 4u);
  EXPECT_EQ(result().scenario.at("device"), "cpu");
}

TEST_F(Gpus, AreNamedInAProfileAsInAManifest) {
  write_scenario(scenario_);
  const auto output = command_on(
      two_, {"profile", path("scenario.json"), "--device", "cuda", "-o", path("p.json")});
  ASSERT_EQ(output.status.code, 0) << output.err;
  const auto profile = read_json_file(path("p.json"));
  EXPECT_EQ(profile.at("device"), "cuda");
  EXPECT_EQ(profile.at("hardware"), "one");
}

class GpusOverLinks : public Gpus {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root for namespaces";
    Gpus::SetUp();
    scenario_["backend"] = "nccl";
    scenario_["share_gpus"] = true;
  }
};

TEST_F(GpusOverLinks, HaveWorkersThatAreTheirOwnHostsToNcclAlsoWithAGpuEach) {
  scenario_["share_gpus"] = false;
  run_on(two_, {"--only", "link=slow,seed=1,method=a", "--set", "/methods/0/fault=environment"});
  EXPECT_THAT(result().cells.front().reason,
              HasSubstr("NCCL_SOCKET_IFNAME is =eth0 | NCCL_HOSTID is pacbench-rank1"));
}

TEST_F(GpusOverLinks, AreSharedByWorkersWhenThatIsAllowedAndNcclsEnvironmentIsRecorded) {
  const auto output = run_on(one_, {"--only", "link=slow,seed=1,method=a"});
  ASSERT_EQ(output.status.code, 0) << output.err;
  const auto devices = read_json_file(out() + "/manifest.json").at("devices");
  EXPECT_EQ(devices.at("nccl_version"), "2.28.9");
  EXPECT_THAT(devices.at("nccl_environment").get<std::vector<std::string>>(),
              IsSupersetOf({"NCCL_SOCKET_IFNAME==eth0", "NCCL_HOSTID=pacbench-rank0"}));
}

}  // namespace
}  // namespace pacbench::run
