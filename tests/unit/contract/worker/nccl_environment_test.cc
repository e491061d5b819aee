#include "contract/worker/nccl_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace pacbench::testing {
namespace {

using ::testing::IsSupersetOf;

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

}  // namespace
}  // namespace pacbench::testing
