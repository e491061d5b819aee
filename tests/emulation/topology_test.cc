// Fabrics of several switches and of links that differ, as the kernel and real TCP connections
// see them.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/emulation/fixtures.h"
#include "tests/emulation/transfer.h"

namespace pacbench {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

using Topology = WithFabrics;

constexpr double kEdgeMbit = 1000;
constexpr double kTrunkMbit = 100;

double ideal_s(double rate_mbit) { return kBytes * 8 * kFramePerPayload / (rate_mbit * 1e6); }

/// Three switches in a row: workers 0 and 1 on the first, 2 on the second, 3 on the third.
netd::CreateRequest chain() {
  auto request = star(4, kEdgeMbit);
  request.switches = 3;
  request.workers[2].attached_to = 1;
  request.workers[3].attached_to = 2;
  const netd::Direction trunk{kTrunkMbit, 0, {}};
  request.trunks = {{0, 1, trunk, trunk}, {1, 2, trunk, trunk}};
  return request;
}

/// The measured time of one transfer divided by the computed time.
double ratio(const netd::CreateRequest& request, int from, int to, double rate_mbit) {
  DaemonClient daemon{request};
  Receiver receiver{daemon, to, 1};
  start_sender(daemon, from, to);
  return receiver.duration_s() / ideal_s(rate_mbit);
}

TEST_F(Topology, AChainOfThreeSwitchesIsInTheKernelAsItWasDeclared) {
  DaemonClient daemon;
  const auto created = daemon.create(chain());
  ASSERT_EQ(created.links.size(), 12U);
  EXPECT_EQ(created.links[8].name, "trunk0.forward");
  EXPECT_EQ(created.links[8].device, "trunk0a");
  EXPECT_EQ(created.links[11].name, "trunk1.backward");
  EXPECT_EQ(created.links[11].device, "trunk1b");
  EXPECT_EQ(created.links[11].rate_bytes_per_s, 12'500'000);
  const auto ports = run_in_namespace_of(daemon.pid(), {"/sbin/bridge", "-o", "link", "show"});
  for (const char* port : {"port0@.* master br0 ", "port1@.* master br0 ", "port2@.* master br1 ",
                           "port3@.* master br2 ", "trunk0a@trunk0b: .* master br0 ",
                           "trunk0b@trunk0a: .* master br1 ", "trunk1a@trunk1b: .* master br1 ",
                           "trunk1b@trunk1a: .* master br2 "}) {
    EXPECT_THAT(ports, ContainsRegex(port));
  }
  const auto trunk =
      run_in_namespace_of(daemon.pid(), {"/usr/sbin/tc", "class", "show", "dev", "trunk1a"});
  EXPECT_THAT(trunk, HasSubstr("rate 100Mbit ceil 100Mbit"));
}

TEST_F(Topology, AFlowTakesTheTimeOfTheTrunksThatItCrossesOrHasTheEdgesRate) {
  expect_ratio_of_one([] { return ratio(chain(), 0, 3, kTrunkMbit); });
  expect_ratio_of_one([] { return ratio(chain(), 0, 1, kEdgeMbit); });
}

TEST_F(Topology, FlowsShareATrunk) {
  expect_ratio_of_one([] {
    DaemonClient daemon{chain()};
    Receiver two{daemon, 2, 1};
    Receiver three{daemon, 3, 1};
    start_sender(daemon, 0, 2);
    start_sender(daemon, 1, 3);
    return std::max(two.duration_s(), three.duration_s()) / (2 * ideal_s(kTrunkMbit));
  });
}

TEST_F(Topology, CountersTellWhatCrossesEachDirectionWithItsHeadersAndNoOther) {
  DaemonClient daemon{chain()};
  Receiver receiver{daemon, 2, 1};
  start_sender(daemon, 3, 2);
  receiver.duration_s();
  for (int ended = 0; ended < 2; ++ended) ASSERT_EQ(daemon.next().at("type"), "exited");
  const auto reply = daemon.counters();
  EXPECT_THAT(reply.deviations, IsEmpty());
  ASSERT_EQ(reply.links.size(), 12U);
  const double frames = kBytes * kFramePerPayload;
  for (const auto& name : netd::route(chain(), 3, 2)) {
    const auto link = std::find_if(reply.links.begin(), reply.links.end(),
                                   [&](const auto& counted) { return counted.name == name; });
    EXPECT_NEAR(static_cast<double>(link->bytes) / frames, 1, 0.005) << name;
    EXPECT_NEAR(static_cast<double>(link->packets), kBytes / 1448.0, 30) << name;
  }
  for (const auto& link : reply.links) {
    if (link.name.starts_with("trunk0") || link.name.starts_with("worker0") ||
        link.name.starts_with("worker1")) {
      EXPECT_LT(link.bytes, 1000) << link.name;
    }
  }
}

TEST_F(Topology, ALinkCanBeSlowerOneWay) {
  auto request = star(2, 200);
  request.workers[0].up.rate_mbit = 50;
  expect_ratio_of_one([&] { return ratio(request, 0, 1, 50); });
  expect_ratio_of_one([&] { return ratio(request, 1, 0, 200); });
}

TEST_F(Topology, CountersNameLinksThatSomebodyHasChanged) {
  DaemonClient daemon{chain()};
  run_in_namespace_of(daemon.pid(),
                      {"/usr/sbin/tc", "class", "change", "dev", "port1", "parent", "1:", "classid",
                       "1:1", "htb", "rate", "50mbit", "burst", "15k", "quantum", "60000"});
  run_in_namespace_of(daemon.pid(), {"/usr/sbin/tc", "qdisc", "del", "dev", "trunk0b", "root"});
  run_in_namespace_of(daemon.pid(), {"/sbin/ip", "link", "set", "trunk1a", "nomaster"});
  const auto reply = daemon.counters();
  EXPECT_THAT(reply.deviations,
              IsSupersetOf({"worker1.down: rate in bytes/s is 6250000, but was set to 125000000",
                            "trunk0.backward: the root qdisc is not HTB with default class 1",
                            "trunk0.backward: no HTB class 1:1 with a bfifo leaf",
                            "trunk1.forward: its bridge is \"\", but was set to \"br1\""}));
}

TEST_F(Topology, AQueueTooShortForTheFlowsIsRefusedWithTheArithmetic) {
  DaemonClient daemon;
  auto request = chain();
  request.trunks[0].forward.queue_bytes = 30'000;
  EXPECT_THAT(daemon.ask(to_json(request)).value("message", ""),
              AllOf(HasSubstr("/trunks/0/forward/queue_bytes"), HasSubstr("4 × 22100 = 88400")));
  request.trunks[0].forward.queue_bytes = 100'000;
  EXPECT_EQ(daemon.create(request).links.at(8).queue_bytes, 100'000);
}

}  // namespace
}  // namespace pacbench
