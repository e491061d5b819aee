#include <algorithm>

#include "contract/worker/gpus.h"
#include "contract/worker/measure_spec.h"
#include "contract/worker/nccl_environment.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench {
namespace {

TEST(Gpus, AreEnoughWhenEachWorkerHasItsOwnOrAnyMayBeShared) {
  EXPECT_EQ(shortage(8, 8, false), "");
  EXPECT_EQ(shortage(2, 8, false), "");
  EXPECT_EQ(shortage(8, 1, true), "");
  EXPECT_NE(shortage(8, 0, true), "");
  EXPECT_THAT(shortage(8, 1, false), HasSubstr("found 1 GPU for 8 workers"));
  EXPECT_THAT(shortage(8, 4, false),
              AllOf(HasSubstr("found 4 GPUs for 8 workers"), HasSubstr("at most 4 workers")));
}

TEST(Gpus, AreGivenToRanksInOrderAndThenAnew) {
  EXPECT_EQ(gpu_of(3, 8), 3);
  EXPECT_EQ(gpu_of(3, 1), 0);
  EXPECT_EQ(gpu_of(5, 2), 1);
}

TEST(Gpus, AreReadBackAsTheyWereTold) {
  const Devices devices{{"NVIDIA H200", "NVIDIA H200"}, "", "2.28.9", ""};
  const auto again = devices_from_json(to_json(devices));
  EXPECT_EQ(again.gpus, devices.gpus);
  EXPECT_EQ(again.nccl_version, "2.28.9");
  EXPECT_EQ(devices_from_json(to_json(Devices{{}, "no driver", "", "not built"})).no_nccl,
            "not built");
}

TEST(NcclEnvironment, LeavesNoWayButARingOverSocketsOnTheShapedDeviceOfEachRank) {
  EXPECT_THAT(
      nccl_environment(3, "eth0"),
      IsSupersetOf({"NCCL_NET=Socket", "NCCL_NET_PLUGIN=none", "NCCL_IB_DISABLE=1",
                    "NCCL_P2P_DISABLE=1", "NCCL_SHM_DISABLE=1", "NCCL_SOCKET_IFNAME==eth0",
                    "NCCL_SOCKET_FAMILY=AF_INET", "NCCL_RAS_ENABLE=0", "NCCL_ALGO=Ring",
                    "NCCL_PROTO=Simple", "NCCL_MAX_NCHANNELS=1", "NCCL_NSOCKS_PERTHREAD=1",
                    "NCCL_SOCKET_NTHREADS=1", "NCCL_HOSTID=pacbench-rank3", "NCCL_PXN_DISABLE=1"}));
}

TEST(NcclEnvironment, NamesEveryVariableOnceInOrder) {
  std::vector<std::string> names;
  for (const auto& variable : nccl_environment(0, "eth0")) {
    names.push_back(variable.substr(0, variable.find('=')));
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(MeasureSpec, SurvivesTheWayThroughJson) {
  MeasureSpec spec;
  spec.rank = 3;
  spec.workers = 8;
  spec.interface = "eth1";
  spec.timeout_s = 12.5;
  spec.all_reduces = {{4096, 11}, {1 << 20, 9}};
  spec.ordinary_rounds = 7;
  const auto document = to_json(spec);
  EXPECT_EQ(document.at("role"), MeasureSpec::kRole);
  EXPECT_EQ(to_json(measure_spec_from_json(document)), document);
}

TEST(MeasureSpec, OfAnotherVersionOrWithoutAFieldIsRefusedByItsName) {
  auto document = to_json(MeasureSpec{});
  document.erase("all_reduces");
  EXPECT_THAT(testing::refusal_words([&] { measure_spec_from_json(document); }),
              HasSubstr("all_reduces"));
  document = to_json(MeasureSpec{});
  document["version"] = 2;
  EXPECT_THROW(measure_spec_from_json(document), ConfigError);
}

TEST(AllReduceEvent, SurvivesTheWayThroughJson) {
  const AllReduceEvent event{5, kFloorBytes, true, {0.25, 0.5}};
  EXPECT_EQ(to_json(all_reduce_event_from_json(to_json(event))), to_json(event));
}

}  // namespace
}  // namespace pacbench
