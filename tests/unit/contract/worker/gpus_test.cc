#include "contract/worker/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace pacbench
