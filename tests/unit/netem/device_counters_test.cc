#include "netem/kernel/device_counters.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pacbench::netem {
namespace {

constexpr const char* kDevices =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n"
    "    lo:     100       2    0    0    0     0          0         0      100       2    0\n"
    "  ctl0:    2000      20    0    0    0     0          0         0    30001      21    0\n";

TEST(SentBytes, AreThoseOfTheDevice) {
  EXPECT_EQ(sent_bytes("ctl0", kDevices), 30001);
  EXPECT_EQ(sent_bytes("lo", kDevices), 100);
}

TEST(SentBytes, OfADeviceThatIsMissingAreAnError) {
  EXPECT_THROW(sent_bytes("ctl", kDevices), std::runtime_error);
}

TEST(SentBytes, AreToldByThisKernel) { EXPECT_GE(sent_bytes("lo"), 0); }

}  // namespace
}  // namespace pacbench::netem
