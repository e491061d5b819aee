#include "netem/plan/tcp_buffers.h"

#include <gtest/gtest.h>

namespace pacbench::netem {
namespace {

netd::CreateRequest star_with_delay(double rate_mbit, double delay_ms) {
  auto request = netd::star(2, rate_mbit);
  for (auto& worker : request.workers) {
    worker.up.impairment.delay_ms = delay_ms;
    worker.down.impairment.delay_ms = delay_ms;
  }
  return request;
}

TEST(TcpBuffers, HoldFourTimesWhatIsUnderWayAndNoLessThanTheKernelsOwn) {
  // A round trip crosses two links each way: 80 ms at 500 Mbit/s.
  EXPECT_EQ(bytes_in_flight(star_with_delay(500, 20)), 5'000'000);
  const auto sysctls = tcp_buffers(star_with_delay(500, 20));
  ASSERT_EQ(sysctls.size(), 2U);
  EXPECT_EQ(sysctls[0].name, "net.ipv4.tcp_rmem");
  EXPECT_EQ(sysctls[0].value, "4096 131072 20000000");
  EXPECT_EQ(sysctls[1].name, "net.ipv4.tcp_wmem");
  EXPECT_EQ(sysctls[1].value, "4096 16384 20000000");
  const auto least = tcp_buffers(star_with_delay(10, 1));
  EXPECT_EQ(least[0].value, "4096 131072 6291456");
  EXPECT_EQ(least[1].value, "4096 16384 4194304");
  EXPECT_TRUE(tcp_buffers(netd::star(8, 1000)).empty()) << "without delay all stay as they are";
}

TEST(TcpBuffers, FollowTheLongestWayThroughTheTree) {
  auto request = netd::star(3, 10'000);
  request.switches = 3;
  request.workers[1].attached_to = 1;
  request.workers[2].attached_to = 2;
  const netd::Direction trunk{100, 0, {10, 0, 0, 0}};
  request.trunks = {{0, 1, trunk, trunk}, {1, 2, trunk, trunk}};
  EXPECT_EQ(bytes_in_flight(request), 500'000) << "100 Mbit/s over two trunks there and two back";
}

TEST(TcpBuffers, AreForTheFasterWayOfATrunk) {
  auto request = netd::star(2, 10'000);
  request.switches = 2;
  request.workers[1].attached_to = 1;
  request.trunks = {{0, 1, {50, 0, {10, 0, 0, 0}}, {1000, 0, {10, 0, 0, 0}}}};
  EXPECT_EQ(bytes_in_flight(request), 2'500'000)
      << "1000 Mbit/s from worker 1, 20 ms there and back";
}

TEST(TcpBuffers, AreForTheFastestStepOfASchedule) {
  auto request = star_with_delay(50, 20);
  for (auto& worker : request.workers) {
    worker.up.most_rate_mbit = worker.down.most_rate_mbit = 500;
  }
  EXPECT_EQ(bytes_in_flight(request), 5'000'000);
}

}  // namespace
}  // namespace pacbench::netem
