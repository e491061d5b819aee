#include "contract/fabric/fabric_spec.h"

#include "contract/fabric/netd_protocol.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::netd {
namespace {

/// Three switches in a row: workers 0 and 1 on the first, 2 on the second, 3 on the third.
CreateRequest row() {
  auto request = star(4, 100);
  request.switches = 3;
  request.workers[2].attached_to = 1;
  request.workers[3].attached_to = 2;
  const Direction direction{10, 0, {}};
  request.trunks = {{0, 1, direction, direction}, {1, 2, direction, direction}};
  return request;
}

CreateRequest with_uplink() {
  auto request = star(4, 100);
  request.uplink = {3, "enp1s0f0", "eth0.7", 65535};
  return request;
}

TEST(FabricSpec, NamesEveryDirection) {
  EXPECT_THAT(direction_names(star(2, 100)),
              ElementsAre("worker0.up", "worker0.down", "worker1.up", "worker1.down"));
  EXPECT_EQ(direction_names(row()).back(), "trunk1.backward");
  auto request = row();
  request.trunks[1].backward.rate_mbit = 7;
  EXPECT_EQ(find_direction(request, "trunk1.backward")->rate_mbit, 7);
  EXPECT_EQ(find_direction(request, "trunk2.forward"), nullptr);
}

TEST(FabricSpec, ShaperFollowsTheRate) {
  EXPECT_EQ(usual_shaper(20).gso_max_bytes, Shaper::kSingleFrames);
  EXPECT_EQ(usual_shaper(20).ceil_burst_bytes, 500) << "what 0.2 milliseconds let pass";
  EXPECT_EQ(usual_shaper(0.5).ceil_burst_bytes, 13);
  EXPECT_EQ(usual_shaper(100).gso_max_bytes, 8192);
  EXPECT_EQ(usual_shaper(100).ceil_burst_bytes, 1600) << "one frame";
  EXPECT_EQ(usual_shaper(500).gso_max_bytes, 13400);
  EXPECT_EQ(usual_shaper(1000).gso_max_bytes, 22100);
  EXPECT_EQ(usual_shaper(1000).ceil_burst_bytes, 3000) << "what 24 microseconds let pass";
}

TEST(FabricSpec, ADownLinkHasTheLargeBucketUnlessItIsSlowerThanOneSender) {
  auto uneven = star(3, 100);
  EXPECT_EQ(shaper_of(uneven, "worker1.up").ceil_burst_bytes, uneven.shaper.ceil_burst_bytes);
  EXPECT_EQ(shaper_of(uneven, "worker1.down").ceil_burst_bytes, uneven.shaper.burst_bytes);
  uneven.workers[1].down.rate_mbit = 50;
  EXPECT_EQ(shaper_of(uneven, "worker1.down").ceil_burst_bytes, uneven.shaper.ceil_burst_bytes);
  EXPECT_EQ(shaper_of(uneven, "worker2.down").ceil_burst_bytes, uneven.shaper.burst_bytes);
}

std::string refusal(const CreateRequest& request) {
  return testing::refusal_words([&] { create_request_from_json(to_json(request)); });
}

TEST(FabricSpec, IsTheSameAfterJson) {
  auto request = row();
  request.trunks[0].forward.impairment = {20, 2, 0.01, 0.001};
  for (const auto& message : {to_json(request), to_json(with_uplink())}) {
    EXPECT_EQ(to_json(create_request_from_json(message)), message);
  }
}

TEST(FabricSpec, AnUplinkMakesOneWorkerHere) {
  EXPECT_THAT(workers_here(with_uplink()), ElementsAre(3));
  EXPECT_THAT(directions_here(with_uplink()), ElementsAre("worker3.up", "worker3.down"));
  EXPECT_THAT(workers_here(star(3, 100)), ElementsAre(0, 1, 2));
}

// Names of interfaces become words of lines for `ip`.
TEST(FabricSpec, AnInterfaceWhoseNameIsMoreThanANameIsRefused) {
  for (const auto* name : {"", "eth0 up", "eth0\nlink del lo", "-batch", "sixteen-letters-"}) {
    auto request = with_uplink();
    request.uplink->interface = request.uplink->control_interface = name;
    EXPECT_THAT(refusal(request),
                AllOf(HasSubstr("/uplink/interface"), HasSubstr("/uplink/control_interface")))
        << name;
  }
}

TEST(FabricSpec, WhatTheNetworkBetweenHostsCannotBeIsRefusedBesideAnUplink) {
  auto request = with_uplink();
  request.uplink->worker = 4;
  EXPECT_THAT(refusal(request), HasSubstr("/uplink/worker"));
  request = with_uplink();
  request.workers[0].down.impairment.delay_ms = 1;
  EXPECT_THAT(refusal(request), HasSubstr("/workers/0/down/impairment"));
  request = row();
  request.uplink = with_uplink().uplink;
  EXPECT_THAT(refusal(request), HasSubstr("/switches"));
}

TEST(FabricSpec, SwitchesThatAreNoTreeAreRefused) {
  auto circle = row();
  circle.trunks.push_back({0, 2, circle.trunks[0].forward, circle.trunks[0].backward});
  EXPECT_THAT(refusal(circle), HasSubstr("3 trunks, which do not join 3 switches"));
  auto apart = row();
  apart.trunks[1].b = 0;
  EXPECT_THAT(refusal(apart), HasSubstr("2 trunks, which do not join 3 switches"));
  EXPECT_EQ(refusal(row()), "");
}

TEST(FabricSpec, ImpairmentsThatContradictEachOtherAreRefused) {
  auto request = row();
  request.trunks[1].forward.impairment.reorder = 0.01;
  EXPECT_THAT(refusal(request), HasSubstr("/trunks/1/forward/impairment/reorder"));
  request = row();
  request.workers[2].down.impairment = {5, 6, 0, 0};
  EXPECT_THAT(refusal(request), HasSubstr("/workers/2/down/impairment/jitter_ms: expected at most "
                                          "the delay_ms of 5, found 6"));
}

TEST(FabricSpec, ABurstThatLastsLongerThanTheKernelHoldsIsRefusedWithTheArithmetic) {
  auto request = star(2, 1);
  request.shaper.burst_bytes = 100'000'000;
  EXPECT_THAT(refusal(request),
              AllOf(HasSubstr("/shaper/burst_bytes: 100000000 bytes take 800.0 s at 1 Mbit/s"),
                    HasSubstr("12500000000 ticks of 64 ns"), HasSubstr("here 34359738 bytes")));
  request.shaper.burst_bytes = 34'000'000;
  EXPECT_EQ(refusal(request), "");
}

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
              HasSubstr("expected at least 7 × 8192 = 57344 bytes"));
  EXPECT_THAT(refusal(request), HasSubstr("/workers/3/down/queue_bytes"));
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
