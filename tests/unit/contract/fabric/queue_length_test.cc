#include "contract/fabric/queue_length.h"

#include <gmock/gmock.h>

#include "contract/fabric/netd_protocol.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::netd {
namespace {

TEST(QueueLength, IsFifteenMillisecondsButNoLessThan256Kilobytes) {
  EXPECT_EQ(queue_bytes(star(8, 100), "worker0.up"), 256 * 1024);
  EXPECT_EQ(queue_bytes(star(8, 1000), "worker0.up"), 1'875'000);
}

TEST(QueueLength, HoldsAPacketOfEveryFlow) {
  EXPECT_EQ(queue_bytes(star(64, 100), "worker63.down"), 63 * 8192);
  auto large = star(64, 100);
  large.shaper.gso_max_bytes = 65536;
  EXPECT_EQ(queue_bytes(large, "worker63.down"), 63 * 65536);
}

TEST(QueueLength, ATrunkHoldsAThousandFrames) {
  auto request = star(2, 10'000);
  request.switches = 2;
  request.workers[1].attached_to = 1;
  request.trunks = {{0, 1, {100, 0, {}}, {1000, 0, {}}}};
  EXPECT_EQ(queue_bytes(request, "trunk0.forward"), 1'514'000);
  EXPECT_EQ(queue_bytes(request, "trunk0.backward"), 1'875'000) << "15 ms are more";
}

TEST(QueueLength, ADeclaredOneIsTakenAndATooShortOneRefusedWithTheArithmetic) {
  auto request = star(8, 100);
  request.workers[3].down.queue_bytes = 7 * 8192;
  EXPECT_EQ(queue_bytes(request, "worker3.down"), 57'344);
  EXPECT_EQ(queue_shortage(request, "worker3.down"), "");
  request.workers[3].down.queue_bytes = 57'343;
  EXPECT_THAT(queue_shortage(request, "worker3.down"),
              ::testing::HasSubstr("expected at least 7 × 8192 = 57344 bytes"));
  EXPECT_THAT(testing::refusal_words([&] { create_request_from_json(to_json(request)); }),
              ::testing::HasSubstr("/workers/3/down/queue_bytes"));
}

TEST(QueueLength, PacketsAreSingleFramesWhereTheyAreLostOrReordered) {
  auto request = star(8, 100);
  EXPECT_EQ(largest_packet_bytes(request), 8192);
  request.workers[0].up.impairment.loss = 0.01;
  EXPECT_EQ(largest_packet_bytes(request), 1514);
  request.workers[0].up.impairment = {20, 0, 0, 0.01};
  EXPECT_EQ(largest_packet_bytes(request), 1514);
  EXPECT_EQ(largest_packet_bytes(star(8, 20)), 1514) << "and over slow links";
}

TEST(QueueLength, TwoJumboFramesTravelTogether) {
  auto jumbo = star(2, 100);
  jumbo.mtu = 9000;
  EXPECT_EQ(largest_packet_bytes(jumbo), 18000);
  jumbo.mtu = 65535;
  EXPECT_EQ(largest_packet_bytes(jumbo), 65536);
}

}  // namespace
}  // namespace pacbench::netd
