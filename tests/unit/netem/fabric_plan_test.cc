#include "netem/fabric_plan.h"

#include <gmock/gmock.h>

namespace pacbench {
namespace {

using ::testing::ElementsAre;

TEST(FabricPlan, IsWrittenOutForTwoWorkers) {
  const auto plan = fabric_plan(netd::star(2, 100), {"/proc/self/fd/7", "/proc/self/fd/8"});
  ASSERT_EQ(plan.batches.size(), 6U);
  EXPECT_EQ(plan.batches[0].place, Batch::kSwitch);
  EXPECT_THAT(
      plan.batches[0].lines,
      ElementsAre("link set dev lo up",
                  "link add br0 mtu 1500 type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                  "link set dev br0 addrgenmode none up",
                  "link add port0 mtu 1500 type veth peer name eth0 mtu 1500 netns /proc/self/fd/7",
                  "link set dev port0 addrgenmode none master br0 up",
                  "link add port1 mtu 1500 type veth peer name eth0 mtu 1500 netns /proc/self/fd/8",
                  "link set dev port1 addrgenmode none master br0 up"));
  EXPECT_EQ(plan.batches[1].program, "tc");
  EXPECT_EQ(plan.batches[1].lines.size(), 6U) << "three for each port";
  EXPECT_EQ(plan.batches[4].place, 1);
  EXPECT_THAT(plan.batches[4].lines,
              ElementsAre("qdisc add dev eth0 root handle 1: htb default 1",
                          "class add dev eth0 parent 1: classid 1:1 htb rate 100000000bit ceil "
                          "100000000bit burst 15360b cburst 1600b quantum 60000",
                          "qdisc add dev eth0 parent 1:1 handle 10: bfifo limit 262144b"));
  EXPECT_THAT(
      plan.batches[5].lines,
      ElementsAre("link set dev lo up", "link set dev eth0 gso_max_size 16384 addrgenmode none up",
                  "address add 10.77.0.2/16 dev eth0 noprefixroute",
                  "route add 10.77.0.0/16 dev eth0 src 10.77.0.2 congctl lock cubic"));
}

TEST(FabricPlan, TypedCommandsMakeTheNamespacesThatTheyUse) {
  const auto commands = typed_commands(fabric_plan(netd::star(1, 100), namespace_names(1)));
  EXPECT_EQ(commands.front(), "ip netns add switch");
  EXPECT_EQ(commands[2], "ip netns add worker0");
  EXPECT_EQ(commands[7],
            "ip -n switch link add port0 mtu 1500 type veth peer name eth0 mtu 1500 netns worker0");
  EXPECT_EQ(commands.back(),
            "ip -n worker0 route add 10.77.0.0/16 dev eth0 src 10.77.0.1 congctl lock cubic");
}

TEST(FabricPlan, TheLastOf128WorkersHasAnAddressInTheSubnet) {
  EXPECT_EQ(worker_address(127), "10.77.0.128");
}

TEST(LinkShape, QueuesFifteenMillisecondsButNoLessThan256Kilobytes) {
  EXPECT_EQ(LinkShape::for_rate(100).queue_bytes, 256 * 1024);
  EXPECT_EQ(LinkShape::for_rate(1000).queue_bytes, 1'875'000);
}

TEST(LinkShape, KeepsSmallBurstsUntilTcWouldRoundThemAway) {
  EXPECT_EQ(LinkShape::for_rate(1000).burst_bytes, 15 * 1024);
  EXPECT_EQ(LinkShape::for_rate(1000).ceil_burst_bytes, 1600);
  EXPECT_EQ(LinkShape::for_rate(100'000).burst_bytes, 125'000);
  EXPECT_EQ(LinkShape::for_rate(100'000).ceil_burst_bytes, 125'000);
}

TEST(LinkShape, KeepsAFractionOfAMegabit) {
  EXPECT_EQ(LinkShape::for_rate(98.44).rate_bytes_per_s, 12'305'000);
  EXPECT_EQ(LinkShape::for_rate(0.05).rate_bytes_per_s, 6'250);
}

TEST(FabricPlan, LetsTwoJumboFramesTravelTogether) {
  auto jumbo = netd::star(1, 100);
  jumbo.mtu = 9000;
  EXPECT_EQ(fabric_plan(jumbo, {"x"}).gso_max_bytes, 18000);
  jumbo.mtu = 65535;
  EXPECT_EQ(fabric_plan(jumbo, {"x"}).gso_max_bytes, 65536);
}

}  // namespace
}  // namespace pacbench
