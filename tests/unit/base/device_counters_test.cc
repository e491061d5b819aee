#include "base/traffic_counters.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pacbench {
namespace {

constexpr const char* kDevices =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop "
    "fifo colls carrier\n"
    "    lo:     100       2    0    0    0     0          0         0      100       2    0    0  "
    "  0     0       0 0\n"
    "  ctl0:    2000      20    0    3    0     0          0         0    30001      21    0    4  "
    "  0     0       0 0\n";

TEST(DeviceTraffic, IsWhatTheDeviceHasSentAndReceived) {
  const auto traffic = device_traffic("ctl0", kDevices);
  EXPECT_EQ(traffic.sent.bytes, 30001);
  EXPECT_EQ(traffic.sent.packets, 21);
  EXPECT_EQ(traffic.sent.dropped_packets, 4);
  EXPECT_EQ(traffic.received.bytes, 2000);
  EXPECT_EQ(traffic.received.packets, 20);
  EXPECT_EQ(traffic.received.dropped_packets, 3);
  EXPECT_EQ(device_traffic("lo", kDevices).sent.bytes, 100);
  EXPECT_THROW(device_traffic("ctl", kDevices), std::runtime_error) << "there is none";
}

}  // namespace
}  // namespace pacbench
