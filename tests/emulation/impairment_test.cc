// Delay, jitter, loss and reordering as the kernel reports its settings. tests/kernel, which runs
// under a kernel with netem, measures what the settings do to packets.
#include <gmock/gmock.h>

#include "tests/emulation/fixtures.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

using Impairment = WithFabrics;

/// Two workers. Worker 1's up link has delay, jitter, loss and reordering; its down link has delay.
netd::CreateRequest impaired() {
  auto request = star(2, 100);
  request.workers[1].up.impairment = {20, 2, 0.01, 0.002};
  request.workers[1].down.impairment = {5.5, 0, 0, 0};
  return request;
}

/// Why this kernel has no netem, ifb or mirred; empty when it has all three.
std::string no_netem_reason() {
  DaemonClient daemon;
  for (const auto& feature :
       netd::message_from_json<netd::FeaturesReply>(daemon.ask(netd::features_request()))
           .features) {
    if (feature.name == "netem" || feature.name == "ifb" || feature.name == "mirred") {
      if (!feature.ok) return feature.reason;
    }
  }
  return {};
}

#define REQUIRE_NETEM() \
  if (const auto reason = no_netem_reason(); !reason.empty()) GTEST_SKIP() << reason

TEST_F(Impairment, IsInTheKernelAsItWasDeclared) {
  REQUIRE_NETEM();
  DaemonClient daemon;
  const auto created = daemon.create(impaired());
  ASSERT_EQ(created.links.size(), 4U);
  const auto& up = created.links[2];
  EXPECT_EQ(up.name, "worker1.up");
  EXPECT_NEAR(up.impairment.delay_ms, 20, 1e-4);
  EXPECT_NEAR(up.impairment.jitter_ms, 2, 1e-4);
  EXPECT_NEAR(up.impairment.loss, 0.01, 1e-9);
  EXPECT_NEAR(up.impairment.reorder, 0.002, 1e-9);
  EXPECT_EQ(up.netem_limit_packets, 7266);
  EXPECT_NEAR(created.links[3].impairment.delay_ms, 5.5, 1e-4);
  EXPECT_FALSE(created.links[0].impairment.any());
  const auto shown =
      run_in_namespace_of(daemon.pid(), {"/usr/sbin/tc", "-s", "qdisc", "show", "dev", "port1-in"});
  EXPECT_THAT(shown, HasSubstr("netem 1: root refcnt 2 limit 7266 delay 20ms  2ms loss 1% reorder "
                               "0.2%"));
  const auto link = daemon.run_inside(0, {"/bin/ip", "-d", "link", "show", "eth0"});
  EXPECT_THAT(link, HasSubstr("gso_max_segs 1 ")) << "packets are lost one by one";
  EXPECT_EQ(daemon.run_inside(0, {"/bin/cat", "/proc/sys/net/ipv4/tcp_rmem"}),
            "4096\t131072\t6291456\n")
      << "enough for what 100 Mbit/s have under way in 51 ms";
}

TEST_F(Impairment, CountersNameANetemThatSomebodyHasChanged) {
  REQUIRE_NETEM();
  DaemonClient daemon{impaired()};
  EXPECT_THAT(daemon.counters().deviations, IsEmpty());
  run_in_namespace_of(daemon.pid(), {"/usr/sbin/tc", "qdisc", "change", "dev", "port1-in", "root",
                                     "netem", "delay", "10ms", "limit", "50"});
  run_in_namespace_of(daemon.pid(), {"/usr/sbin/tc", "qdisc", "add", "dev", "port0", "clsact"});
  EXPECT_THAT(daemon.counters().deviations,
              IsSupersetOf({"worker1.up: delay in ms is 10, but was set to 20",
                            "worker1.up: netem's limit in packets is 50, but was set to 7266",
                            "worker0.up: its ingress qdisc is \"clsact\", but was set to \"\""}));
}

TEST_F(Impairment, IsRefusedWithTheCureWhereTheKernelHasNone) {
  if (no_netem_reason().empty()) GTEST_SKIP() << "this kernel has everything";
  DaemonClient daemon;
  const auto message = daemon.ask(to_json(impaired())).value("message", "");
  EXPECT_THAT(message, HasSubstr("the links need netem, which does not work here: `tc qdisc add "
                                 "dev lo root netem"));
  EXPECT_THAT(message, HasSubstr("linux-modules-extra-$(uname -r)"));
  EXPECT_NO_THROW(daemon.create(star(2, 100)));
}

}  // namespace
}  // namespace pacbench
