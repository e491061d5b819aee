#include "netem/plan/fabric_plan.h"

#include <algorithm>
#include <set>

#include "netem/plan/shapes.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::netem {
namespace {

using ::testing::_;

FabricPlan plan_of(const netd::CreateRequest& request) {
  return fabric_plan(request, namespace_names(netd::workers_here(request)));
}

TEST(FabricPlan, IsWrittenOutForTwoWorkers) {
  const auto plan = fabric_plan(
      netd::star(2, 100), {"/proc/self/fd/6", {{0, "/proc/self/fd/7"}, {1, "/proc/self/fd/8"}}});
  ASSERT_EQ(plan.batches.size(), 8U);
  EXPECT_EQ(plan.batches[0].place, Batch::kSwitch);
  EXPECT_THAT(
      plan.batches[0].lines,
      ElementsAre("link set dev lo up",
                  "link add br0 mtu 1500 type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                  "link set dev br0 addrgenmode none up",
                  "link add port0 mtu 1500 type veth peer name eth0 mtu 1500 address "
                  "02:00:0a:4d:00:01 netns /proc/self/fd/7",
                  "link set dev port0 addrgenmode none master br0 up",
                  "link add port1 mtu 1500 type veth peer name eth0 mtu 1500 address "
                  "02:00:0a:4d:00:02 netns /proc/self/fd/8",
                  "link set dev port1 addrgenmode none master br0 up"));
  EXPECT_EQ(plan.batches[1].program, "tc");
  EXPECT_EQ(plan.batches[1].lines.size(), 6U) << "three for each port";
  EXPECT_EQ(plan.batches[5].place, 1);
  EXPECT_THAT(plan.batches[5].lines,
              ElementsAre("qdisc add dev eth0 root handle 1: htb default 1",
                          "class add dev eth0 parent 1: classid 1:1 htb rate 100000000bit ceil "
                          "100000000bit burst 15360b cburst 1600b quantum 60000",
                          "qdisc add dev eth0 parent 1:1 handle 10: bfifo limit 262144b"));
  EXPECT_THAT(
      plan.batches[6].lines,
      ElementsAre("link set dev lo up", "link set dev eth0 gso_max_size 8192 addrgenmode none up",
                  "address add 10.77.0.2/16 dev eth0 noprefixroute",
                  "route add 10.77.0.0/16 dev eth0 src 10.77.0.2 congctl lock cubic",
                  "ntable change name arp_cache dev eth0 mcast_probes 0"));
  EXPECT_THAT(plan.batches[7].lines,
              ElementsAre("neigh add 10.77.0.1 lladdr 02:00:0a:4d:00:01 dev eth0 nud permanent"));
}

TEST(FabricPlan, SetsTheLeastRetransmissionTimeOutWhereOneIsAskedFor) {
  auto request = netd::star(1, 100);
  request.rto_min_ms = 800;
  EXPECT_EQ(typed_commands(plan_of(request)).end()[-2],
            "ip -n worker0 route add 10.77.0.0/16 dev eth0 src 10.77.0.1 congctl lock cubic "
            "rto_min 800ms");
}

TEST(FabricPlan, TypedCommandsOfTheLargestFabricFitIntoAReply) {
  const auto commands = typed_commands(plan_of(netd::star(128, 100)));
  EXPECT_THAT(
      commands,
      Contains("ip netns exec worker2 sh -c 'for n in $(seq 128); do [ $n = 3 ] || ip neigh "
               "add 10.77.0.$n lladdr 02:00:0a:4d:00:$(printf %02x $n) dev eth0 nud "
               "permanent; done'"));
  std::size_t bytes = 0;
  for (const auto& command : commands) bytes += command.size();
  EXPECT_LT(bytes, 500'000U) << "of 1 MiB";
  EXPECT_EQ(netd::worker_address(127), "10.77.0.128");
}

TEST(FabricPlan, TypedCommandsSteerThePacketsOfEveryNamespace) {
  auto plan = plan_of(netd::star(1, 100));
  plan.steering_cpus = "3";
  const auto commands = typed_commands(plan);
  EXPECT_THAT(commands[commands.size() - 2], HasSubstr("netns exec switch sh -c 'for queue in "));
  EXPECT_THAT(commands.back(), HasSubstr("netns exec worker0 sh -c 'for queue in /sys/class/net/"));
  EXPECT_THAT(commands.back(), HasSubstr("echo 3 >$queue"));
}

/// Two switches, with worker 0 on the first and worker 1 on the second.
netd::CreateRequest two_switches() {
  auto request = netd::star(2, 1000);
  request.switches = 2;
  request.workers[1].attached_to = 1;
  request.trunks = {{0, 1, {100, 0, {}}, {50, 0, {}}}};
  return request;
}

TEST(FabricPlan, SwitchesAreJoinedByPairsThatAreShapedAtBothEnds) {
  const auto plan = plan_of(two_switches());
  EXPECT_THAT(plan.batches[0].lines,
              IsSupersetOf({"link add trunk0a mtu 1500 type veth peer name trunk0b mtu 1500",
                            "link set dev trunk0a addrgenmode none master br0 up",
                            "link set dev trunk0b addrgenmode none master br1 up"}));
  EXPECT_THAT(plan.batches[1].lines,
              IsSupersetOf({HasSubstr("dev trunk0a parent 1: classid 1:1 htb rate 100000000bit "),
                            HasSubstr("dev trunk0b parent 1: classid 1:1 htb rate 50000000bit ")}));
}

TEST(FabricPlan, EachDirectionHasItsOwnRateAndQueue) {
  auto request = netd::star(3, 100);
  request.workers[1].up = {20, 50'000, {}};
  const auto plan = plan_of(request);
  ASSERT_EQ(plan.directions[2].name, "worker1.up");
  EXPECT_EQ(plan.directions[2].shape.rate_bytes_per_s, 2'500'000);
  EXPECT_EQ(plan.directions[2].shape.queue_bytes, 50'000);
  EXPECT_EQ(plan.directions[3].shape.rate_bytes_per_s, 12'500'000);
  EXPECT_EQ(plan.directions[3].shape.queue_bytes, 256 * 1024);
}

TEST(FabricPlan, TheShaperThatWasAskedForReachesEveryLink) {
  auto request = netd::star(1, 100);
  request.shaper = {32'000, 4000, 8192};
  const auto plan = plan_of(request);
  for (const auto& direction : plan.directions) {
    EXPECT_EQ(direction.shape.burst_bytes, 32'000);
    EXPECT_EQ(direction.shape.ceil_burst_bytes, 4000);
  }
  EXPECT_THAT(plan.batches.back().lines, Contains(HasSubstr("gso_max_size 8192 ")));
}

TEST(FabricPlan, NetemIsAtTheEndThatReceives) {
  auto request = netd::star(1, 100);
  request.workers[0].up.impairment = {20, 0, 0, 0};
  request.workers[0].down.impairment = {0, 0, 0.01, 0};
  const auto plan = fabric_plan(request, {"/proc/self/fd/6", {{0, "/proc/self/fd/7"}}});
  EXPECT_THAT(
      plan.batches[0].lines,
      IsSupersetOf({"link add port0-in type ifb", "link set dev port0-in addrgenmode none up",
                    "link add eth0-in netns /proc/self/fd/7 type ifb"}));
  EXPECT_THAT(plan.batches[1].lines, Contains(HasSubstr("dev port0-in root handle 1: netem ")));
  EXPECT_THAT(plan.batches[2].lines, Contains(HasSubstr("dev eth0-in root handle 1: netem ")));
  EXPECT_THAT(plan.batches[3].lines,
              ElementsAre("link set dev lo up", "link set dev eth0-in addrgenmode none up",
                          "link set dev eth0 gso_max_size 8192 gso_max_segs "
                          "1 addrgenmode none up",
                          _, _, _));
}

TEST(FabricPlan, AControlNetworkIsABridgeOfItsOwnWithoutQueues) {
  auto request = netd::star(2, 100);
  const auto without = plan_of(request);
  request.control_network = true;
  const auto plan = plan_of(request);
  ASSERT_EQ(plan.batches.size(), without.batches.size() + 5);
  const auto first = plan.batches.end() - 5;
  EXPECT_THAT(first->lines, IsSupersetOf({"link add control1 type veth peer name ctl0 address "
                                          "02:00:0a:4e:00:02 netns worker1",
                                          "link set dev control1 addrgenmode none master control "
                                          "up"}));
  EXPECT_EQ(plan.batches.back().place, 1);
  EXPECT_THAT((plan.batches.end() - 2)->lines, Contains("address add 10.78.0.2/16 dev ctl0"));
  EXPECT_THAT(plan.batches.back().lines,
              ElementsAre("neigh add 10.78.0.1 lladdr 02:00:0a:4e:00:01 dev ctl0 nud permanent"));
  for (const auto& batch : plan.batches) {
    if (batch.program != "tc") continue;
    EXPECT_THAT(batch.lines, Each(Not(HasSubstr("ctl0"))));
  }
}

/// Worker 1 of three, whose link leads to eth2, and whose control network leads to eth0.
netd::CreateRequest with_uplink() {
  auto request = netd::star(3, 100);
  request.uplink = {1, "eth2", "eth0", 0x1234, 0x0a};
  request.control_network = true;
  return request;
}

TEST(FabricPlan, AnUplinkIsADeviceOnTheHostsInterfaceThatPassesAllToTheWorkersPortAndBack) {
  const auto plan = plan_of(with_uplink());
  EXPECT_THAT(plan.workers, ElementsAre(1));
  ASSERT_EQ(plan.sysctls.size(), 1U) << "it answers nobody who asks for its address";
  EXPECT_EQ(plan.sysctls[0].name, "net.ipv4.conf.all.arp_ignore");
  EXPECT_EQ(plan.sysctls[0].value, "8");
  EXPECT_EQ(plan.batches[0].place, Batch::kHost);
  EXPECT_THAT(plan.batches[0].lines,
              ElementsAre("link add link eth2 name uplink1 netns switch address 02:12:0a:4d:34:02 "
                          "mtu 1500 type macvlan mode bridge"));
  EXPECT_THAT(plan.batches[1].lines,
              ElementsAre("link set dev lo up", "link set dev uplink1 addrgenmode none up",
                          "link add port1 mtu 1500 type veth peer name eth0 mtu 1500 address "
                          "02:12:0a:4d:34:02 netns worker1",
                          "link set dev port1 addrgenmode none up"));
  EXPECT_THAT(plan.batches[2].lines,
              IsSupersetOf({HasSubstr("filter add dev port1 parent ffff: protocol all prio 1 u32 "
                                      "match u32 0 0 action mirred egress redirect dev uplink1"),
                            HasSubstr("filter add dev uplink1 parent ffff: protocol all prio 1 u32 "
                                      "match u32 0 0 action mirred egress redirect dev port1")}));
}

TEST(FabricPlan, UsersOfUplinksHaveHardwareAddressesOfTheirOwn) {
  auto request = with_uplink();
  std::set<std::string> lines;
  for (const int owner : {0, 1, 255, 256, netd::Uplink::kOwners - 1}) {
    request.uplink->owner = owner;
    const auto line = plan_of(request).batches[0].lines.front();
    EXPECT_THAT(line, ContainsRegex("address [0-9a-f][26ae]:12:..:4d:34:02 ")) << "of one device";
    lines.insert(line);
  }
  EXPECT_EQ(lines.size(), 5U);
}

TEST(FabricPlan, TheControlNetworkOfAnUplinkKeepsTheMtuOfItsInterface) {
  auto request = with_uplink();
  request.mtu = 9000;
  const auto batches = plan_of(request).batches;
  const auto control = std::find_if(batches.begin() + 1, batches.end(),
                                    [](const auto& batch) { return batch.place == Batch::kHost; });
  ASSERT_NE(control, batches.end());
  EXPECT_THAT(control->lines,
              ElementsAre(AllOf(HasSubstr("link eth0 name ctl0"), Not(HasSubstr("mtu")))));
}

TEST(FabricPlan, OnlyTheWorkerOfAnUplinkIsMadeAndItKnowsTheAddressesOfTheOthers) {
  const auto plan = plan_of(with_uplink());
  std::vector<std::string> neighbours;
  for (const auto& batch : plan.batches) {
    EXPECT_THAT((std::vector{Batch::kHost, Batch::kSwitch, 1}), Contains(batch.place));
    for (const auto& line : batch.lines) {
      if (line.starts_with("neigh")) neighbours.push_back(line);
    }
  }
  EXPECT_THAT(neighbours,
              ElementsAre("neigh add 10.77.0.1 lladdr 02:12:0a:4d:34:01 dev eth0 nud permanent",
                          "neigh add 10.77.0.3 lladdr 02:12:0a:4d:34:03 dev eth0 nud permanent",
                          "neigh add 10.78.0.1 lladdr 02:12:0a:4e:34:01 dev ctl0 nud permanent",
                          "neigh add 10.78.0.3 lladdr 02:12:0a:4e:34:03 dev ctl0 nud permanent"));
}

TEST(FabricPlan, AWorkerOfAnUplinkIsShapedAsItWouldBeBesideTheOthers) {
  const auto beside = plan_of(netd::star(3, 100));
  for (const auto& direction : plan_of(with_uplink()).directions) {
    const auto same = std::find_if(beside.directions.begin(), beside.directions.end(),
                                   [&](const auto& other) { return other.name == direction.name; });
    ASSERT_NE(same, beside.directions.end()) << direction.name;
    EXPECT_EQ(shaping_lines("device", same->shape), shaping_lines("device", direction.shape));
  }
}

TEST(FabricPlan, NeverReplacesAQdisc) {
  auto request = two_switches();
  request.trunks[0].forward.impairment = {20, 0, 0, 0};
  for (const auto& batch : plan_of(request).batches) {
    if (batch.program != "tc") continue;
    EXPECT_THAT(batch.lines, Each(ContainsRegex("^(qdisc|class|filter) add ")));
  }
}

TEST(FabricPlan, ARateForWhichNetemHasNoRoomIsRefusedWithTheArithmetic) {
  auto request = netd::star(1, 100);
  request.workers[0].up.impairment = {50, 0, 0, 0};
  const auto plan = plan_of(request);
  EXPECT_NO_THROW(plan.directions[0].require_room(1000, 1500));
  EXPECT_NO_THROW(plan.directions[1].require_room(100'000, 1500));
  EXPECT_THAT(testing::refusal_words<std::runtime_error>(
                  [&] { plan.directions[0].require_room(2000, 1500); }),
              HasSubstr("has room for 16513 packets in flight, but 2000 Mbit/s needs 33026"));
}

}  // namespace
}  // namespace pacbench::netem
