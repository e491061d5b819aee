#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "cluster/node.h"

namespace pacbench::cluster {
namespace {

TEST(Interfaces, HaveTheAddressesThatTheKernelTells) {
  EXPECT_EQ(address_of("lo"), "127.0.0.1");
  EXPECT_EQ(interface_with("127.0.0.1"), "lo");
}

TEST(Interfaces, AreFoundByEachOfTheirAddresses) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "adds an address in a namespace of its own, which needs root";
  ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
  ASSERT_EQ(std::system("ip address add 127.0.0.1/8 dev lo && ip address add 127.7.0.1/16 dev lo"),
            0);
  EXPECT_EQ(interface_with("127.7.0.1"), "lo");
  EXPECT_EQ(interface_with("127.0.0.1"), "lo");
}

TEST(Interfaces, ThatAreMissingAreRefusedWithThoseThatAreThere) {
  try {
    address_of("ib7");
    FAIL() << "an interface that is not there has an address";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("ib7"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("127.0.0.1"));
  }
  EXPECT_THROW(interface_with("203.0.113.7"), std::runtime_error);
}

}  // namespace
}  // namespace pacbench::cluster
