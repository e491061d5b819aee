// The device that "auto" chooses, given what a scenario asks for and what a machine has.

#include <gmock/gmock.h>

#include "harness/plan/plan.h"
#include "tests/unit/contract/refusals.h"
#include "tests/unit/harness/example.h"

namespace pacbench::plan::device_decision_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Scenario open_scenario(const Json& changes = Json::object()) {
  auto document = fake_scenario_json();
  document["device"] = "auto";
  document["workers"] = 8;
  document.update(changes);
  return scenario_from_json("auto.json", document, fake_catalogue());
}

Devices machine(std::size_t gpus, const std::string& nccl = "2.28.9") {
  return {std::vector<std::string>(gpus, "NVIDIA H200"), gpus > 0 ? "" : "there is no driver", nccl,
          nccl.empty() ? "this torch has no NCCL" : ""};
}

TEST(DeviceDecision, TakesTheGpusWhereCudaWouldNotBeRefused) {
  const char* share = R"({"share_gpus": true})";
  const std::tuple<const char*, Devices, const char*, const char*, const char*> cases[] = {
      {"{}", machine(0), "cpu", "", "there is no driver"},
      {"{}", machine(8), "cuda", "nccl", "8 GPUs for 8 workers"},
      {R"({"workers": 2})", machine(8), "cuda", "nccl", "8 GPUs for 2 workers"},
      {"{}", machine(7), "cpu", "", "found 7 GPUs for 8 workers"},
      {"{}", machine(1), "cpu", "", "\"share_gpus\": true"},
      {share, machine(1), "cuda", "nccl", "8 workers share 1 GPU"},
      {share, machine(0), "cpu", "", "there is no driver"},
      {"{}", machine(8, ""), "cuda", "gloo", "this torch has no NCCL"},
      {R"({"backend": "gloo"})", machine(8), "cuda", "gloo", "8 GPUs for 8 workers"},
      {R"({"mode": "learn"})", machine(1), "cuda", "", "mode learn needs one"},
      {R"({"mode": "learn"})", machine(0, ""), "cpu", "", "there is no driver"}};
  for (const auto& [changes, devices, device, backend, reason] : cases) {
    const auto decision = decide_device(open_scenario(Json::parse(changes)), devices);
    EXPECT_EQ(decision.device, device) << changes << reason;
    EXPECT_EQ(to_json(decision).value("backend", ""), backend) << changes << reason;
    EXPECT_THAT(decision.reason, HasSubstr(reason));
  }
}

TEST(DeviceDecision, GivesAScenarioThatIsTheOneWithItsDeviceNamed) {
  const auto open = open_scenario({{"share_gpus", true}});
  const auto on_cpu = on_device(open, decide_device(open, machine(0)));
  EXPECT_EQ(to_json(on_cpu), to_json(open_scenario({{"device", "cpu"}})));
  const auto on_gpus = on_device(open, decide_device(open, machine(8)));
  EXPECT_EQ(
      to_json(on_gpus),
      to_json(open_scenario({{"device", "cuda"}, {"backend", "nccl"}, {"share_gpus", true}})));
  EXPECT_EQ(comparison_hash(on_cpu), comparison_hash(open_scenario({{"device", "cpu"}})));
}

/// Why a run that was started on a machine with `then` cannot be resumed on a machine with `now`.
/// Empty when it can.
std::string refusal(const Scenario& open, const Devices& then, const Devices& now) {
  const auto started = decide_device(open, then);
  const auto decision = decide_device(open, now);
  return testing::refusal_words([&] {
    require_same_decision("out/manifest.json", to_json(on_device(open, started)), to_json(started),
                          on_device(open, decision), decision);
  });
}

TEST(DeviceDecision, HoldsForTheWholeRun) {
  const auto open = open_scenario();
  EXPECT_EQ(refusal(open, machine(0), machine(0)), "");
  EXPECT_EQ(refusal(open, machine(0), machine(2)), "");
  EXPECT_EQ(refusal(open, machine(8), machine(8)), "");
  EXPECT_THAT(refusal(open, machine(0), machine(8)),
              AllOf(StartsWith("out/manifest.json: /device: "), HasSubstr("started on cpu"),
                    HasSubstr("--set /device=cpu")));
  EXPECT_THAT(refusal(open, machine(8), machine(0)),
              AllOf(HasSubstr("started on cuda over nccl"), Not(HasSubstr("--set"))))
      << "there are no GPUs to name";
  EXPECT_THAT(refusal(open, machine(8, ""), machine(8)), HasSubstr("--set /backend=gloo"));
  EXPECT_THAT(refusal(open_scenario({{"share_gpus", true}}), machine(0), machine(1)),
              HasSubstr("--set /device=cpu --set /share_gpus=false"));
}

}  // namespace
}  // namespace pacbench::plan::device_decision_test
