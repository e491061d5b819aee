// The daemon says what the kernel that it runs on can do.
#include <gmock/gmock.h>
#include <unistd.h>

#include <map>

#include "tests/emulation/fixtures.h"
#include "tests/emulation/transfer.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Counters = WithFabrics;
using Features = WithFabrics;

/// Whether a command succeeds in a network namespace and a mount namespace of its own.
bool works_alone(const std::string& script) {
  std::vector<std::string> argv{"unshare", "--net", "--mount"};
  if (::getuid() != 0) argv.insert(argv.end(), {"--user", "--map-root-user"});
  argv.insert(argv.end(), {"sh", "-c", "PATH=$PATH:/usr/sbin:/sbin\n" + script});
  return run_command(argv).status.ok();
}

TEST_F(Features, AreThoseThatTheKernelHas) {
  DaemonClient daemon;
  const auto features =
      netd::message_from_json<netd::FeaturesReply>(daemon.ask(netd::features_request())).features;
  const std::map<std::string, std::string> by_hand{
      {"namespaces", "true"},
      {"veth", "ip link add dev0 type veth peer name dev1"},
      {"bridge", "ip link add dev0 type bridge"},
      {"htb", "tc qdisc add dev lo root htb"},
      {"bfifo", "tc qdisc add dev lo root bfifo"},
      {"steering",
       "[ $(getconf _NPROCESSORS_ONLN) = 1 ] || echo 1 >/proc/sys/net/core/rps_default_mask || "
       "{ mount -t sysfs none /sys && echo 1 >/sys/class/net/lo/queues/rx-0/rps_cpus; }"},
      {"ifb", "ip link add dev0 type ifb"},
      {"mirred",
       "tc qdisc add dev lo ingress && tc filter add dev lo parent ffff: u32 match u32 0 0 "
       "action mirred egress redirect dev lo"},
      {"netem", "tc qdisc add dev lo root netem loss 1%"},
      {"cubic", "ip link set lo up && ip route add 10.0.0.0/8 dev lo congctl cubic"},
      {"reno", "ip link set lo up && ip route add 10.0.0.0/8 dev lo congctl reno"},
      {"bbr", "ip link set lo up && ip route add 10.0.0.0/8 dev lo congctl bbr"}};
  EXPECT_EQ(features.size(), by_hand.size());
  for (const auto& feature : features) {
    EXPECT_EQ(feature.ok, works_alone(by_hand.at(feature.name))) << feature.name;
    EXPECT_EQ(feature.reason.empty(), feature.ok) << feature.reason;
  }
}

TEST_F(Features, AreToldWithAFabricToo) {
  DaemonClient daemon{star(2, 100)};
  EXPECT_EQ(daemon.ask(netd::features_request()).at("features").size(), 12U);
  const auto reply = daemon.counters();
  EXPECT_THAT(reply.deviations, IsEmpty()) << "trying them changes nothing";
}

TEST_F(Features, AreAllMissingWithoutNamespaces) {
  DaemonClient daemon{{"unshare", "--user", "--map-root-user", "sh", "-c",
                       "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\"", "sh", "setpriv",
                       "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"}};
  for (const auto& feature :
       netd::message_from_json<netd::FeaturesReply>(daemon.ask(netd::features_request()))
           .features) {
    EXPECT_FALSE(feature.ok) << feature.name;
    EXPECT_THAT(feature.reason, HasSubstr("unshare(CLONE_NEWNET): Operation not permitted"));
  }
}

TEST_F(Counters, TellWhoseSegmentsWereSentAgain) {
  DaemonClient daemon;
  auto request = star(3, 200);
  // The shortest queue that is allowed, so that both senders overflow it again and again.
  request.workers[2].down = {100, 2 * 8192, {}};
  daemon.create(request);
  Receiver receiver{daemon, 2, 2};
  start_sender(daemon, 0, 2);
  start_sender(daemon, 1, 2);
  receiver.duration_s();
  for (int ended = 0; ended < 3; ++ended) ASSERT_EQ(daemon.next().at("type"), "exited");
  const auto reply = daemon.counters();
  ASSERT_EQ(reply.retransmitted_segments.size(), 3U);
  EXPECT_GT(reply.retransmitted_segments[0] + reply.retransmitted_segments[1], 0);
  EXPECT_EQ(reply.retransmitted_segments[2], 0) << "it sends nothing but acknowledgements";
}

}  // namespace
}  // namespace pacbench
