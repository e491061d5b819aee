// The fabric as the kernel and real TCP connections see it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/emulation/fixtures.h"
#include "tests/emulation/transfer.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

using Fabric = WithFabrics;

constexpr double kWorkerMbit = 100;
constexpr double kIdeal_s = kBytes * 8 * kFramePerPayload / (kWorkerMbit * 1e6);

std::string host_network() {
  return run_checked({"ip", "-j", "-d", "link"}) + run_checked({"ip", "-j", "addr"}) +
         run_checked({"ip", "route", "show", "table", "all"}) +
         run_checked({"/usr/sbin/tc", "qdisc", "show"}) + run_command({"ip", "netns"}).out;
}

TEST_F(Fabric, LeavesTheHostsNetworkAlone) {
  const auto before = host_network();
  DaemonClient daemon{star(3, kWorkerMbit)};
  EXPECT_EQ(host_network(), before);
  daemon.hang_up();
  daemon.wait();
  EXPECT_EQ(host_network(), before);
}

TEST_F(Fabric, IsInTheKernelAsItWasDeclared) {
  DaemonClient daemon;
  const auto created = daemon.create(star(2, kWorkerMbit));
  ASSERT_EQ(created.links.size(), 4U);
  EXPECT_EQ(created.links[2].name, "worker1.up");
  EXPECT_EQ(created.links[3].device, "port1");
  for (const auto& link : created.links) {
    EXPECT_EQ(link.rate_bytes_per_s, 12'500'000);
    EXPECT_NEAR(static_cast<double>(link.burst_bytes), 15 * 1024, 26);  // tc's whole microseconds
    // The sender's up link has already spaced the packets to a worker. So the worker's down link
    // has the large bucket.
    const double bucket = link.name.ends_with(".up") ? 1600 : 15 * 1024;
    EXPECT_NEAR(static_cast<double>(link.ceil_burst_bytes), bucket, 26);
    EXPECT_EQ(link.quantum_bytes, 60000);
    EXPECT_EQ(link.queue_bytes, 256 * 1024);
  }
  const auto port =
      run_in_namespace_of(daemon.pid(), {"/usr/sbin/tc", "-d", "class", "show", "dev", "port1"});
  const auto end = daemon.run_inside(1, {"/usr/sbin/tc", "-d", "class", "show", "dev", "eth0"});
  for (const auto& shown : {port, end}) {
    EXPECT_THAT(shown, HasSubstr("class htb 1:1 root leaf 10:"));
    EXPECT_THAT(shown, HasSubstr("quantum 60000 rate 100Mbit ceil 100Mbit"));
  }
  const auto leaf = daemon.run_inside(1, {"/usr/sbin/tc", "qdisc", "show", "dev", "eth0"});
  EXPECT_THAT(leaf, HasSubstr("default 0x1"));
  EXPECT_THAT(leaf, HasSubstr("bfifo 10: parent 1:1 limit 256Kb"));
}

TEST_F(Fabric, GivesWorkersTheirAddressMtuAndPacketSize) {
  auto request = star(2, kWorkerMbit);
  request.mtu = 9000;
  DaemonClient daemon{request};
  const auto link = Json::parse(daemon.run_inside(1, {"/bin/ip", "-j", "-d", "addr", "show"}));
  ASSERT_EQ(link.size(), 2U) << "lo and eth0";
  EXPECT_EQ(link[1].at("ifname"), "eth0");
  EXPECT_EQ(link[1].at("mtu"), 9000);
  EXPECT_EQ(link[1].at("gso_max_size"), 18000);
  ASSERT_EQ(link[1].at("addr_info").size(), 1U) << "no IPv6 address";
  EXPECT_EQ(link[1].at("addr_info")[0].at("local"), "10.77.0.2");
}

TEST_F(Fabric, SixtyFourWorkersReachEachOther) {
  DaemonClient daemon{star(64, kWorkerMbit)};
  for (int worker = 0; worker < 64; ++worker) {
    daemon.run_inside(worker, {PACBENCH_PROBE, "datagrams", address(0), "64"});
  }
  for (const int worker : {0, 31, 63}) {
    const auto device = Json::parse(daemon.run_inside(worker, {"/bin/ip", "-j", "-s", "link"}))[1];
    EXPECT_GE(device.at("stats64").at("rx").at("packets"), 63) << "of worker " << worker;
    const auto known = Json::parse(daemon.run_inside(worker, {"/bin/ip", "-j", "neigh"}));
    ASSERT_EQ(known.size(), 63U);
    for (const auto& one : known) EXPECT_EQ(one.at("state"), Json::parse(R"(["PERMANENT"])"));
  }
}

TEST_F(Fabric, ConnectionsUseTheDeclaredCongestionControl) {
  for (const std::string algorithm : {"cubic", "reno"}) {
    auto request = star(2, kWorkerMbit);
    request.congestion_control = algorithm;
    DaemonClient daemon{request};
    Receiver receiver{daemon, 0, 1};
    EXPECT_EQ(daemon.run_inside(1, {PACBENCH_PROBE, "congestion-control", address(0)}),
              algorithm + "\n");
  }
}

TEST_F(Fabric, TwoSendersShareTheReceiversDownlink) {
  expect_ratio_of_one([] {
    DaemonClient daemon{star(3, kWorkerMbit)};
    Receiver receiver{daemon, 0, 2};
    start_sender(daemon, 1, 0);
    start_sender(daemon, 2, 0);
    return receiver.duration_s() / (2 * kIdeal_s);
  });
}

TEST_F(Fabric, OneSenderSharesItsUplink) {
  expect_ratio_of_one([] {
    DaemonClient daemon{star(3, kWorkerMbit)};
    Receiver first{daemon, 1, 1};
    Receiver second{daemon, 2, 1};
    daemon.start_inside(0,
                        {"/bin/sh", "-c",
                         fmt::format("{0} send {1} {3} & {0} send {2} {3}; wait", PACBENCH_PROBE,
                                     address(1), address(2), kBytes)},
                        STDERR_FILENO);
    return std::max(first.duration_s(), second.duration_s()) / (2 * kIdeal_s);
  });
}

TEST_F(Fabric, ItsCommandsCanBeTypedToGetTheSameLinks) {
  if (::getuid() != 0) GTEST_SKIP() << "typing them needs root";
  DaemonClient daemon;
  const auto created = daemon.create(star(2, kWorkerMbit));
  // Names of namespaces are files in /run; this shell gets a /run of its own.
  std::string script = "set -e\nmount -t tmpfs none /run\n";
  for (const auto& command : created.commands) script += command + "\n";
  script += "tc -n worker1 class show dev eth0; tc -n switch class show dev port1\n";
  const auto typed = run_checked({"unshare", "--net", "--mount", "sh"}, script);
  const auto ours =
      daemon.run_inside(1, {"/usr/sbin/tc", "class", "show", "dev", "eth0"}) +
      run_in_namespace_of(daemon.pid(), {"/usr/sbin/tc", "class", "show", "dev", "port1"});
  EXPECT_EQ(typed, ours);
}

}  // namespace
}  // namespace pacbench
