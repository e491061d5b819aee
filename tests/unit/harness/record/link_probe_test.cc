#include "harness/record/link_probe.h"

#include <gmock/gmock.h>

#include "harness/record/probe_plan.h"

namespace pacbench::record {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A good probe of a star of 100 Mbit/s.
LinkProbe probe() {
  LinkProbe probe;
  probe.when = "before";
  probe.flows = planned_flows(netd::star(3, 100));
  for (auto& flow : probe.flows) {
    flow.goodput_mbit = 0.99 * flow.expected_mbit;
    flow.window_s = 1.75;
  }
  return probe;
}

TEST(LinkProbe, WithinThreePercentOrAPacketOfArithmeticIsAsDeclared) {
  EXPECT_THAT(reasons(probe()), IsEmpty());
  EXPECT_DOUBLE_EQ(worst_ratio(probe()).value(), 0.99);
  auto few = probe();
  for (auto& flow : few.flows) {
    flow.expected_mbit = 1;
    flow.goodput_mbit = 1.05;  // 11 KB too many in 1.75 s
  }
  EXPECT_THAT(reasons(few), IsEmpty());
}

TEST(LinkProbe, SaysOfASlowFlowWhichWayItWentWhatItGotAndWhatAHypervisorKept) {
  auto slow = probe();
  slow.flows[1].goodput_mbit = 80;
  slow.flows[2].goodput_mbit = 90;
  slow.stolen_share = 0.004;
  EXPECT_THAT(reasons(slow),
              ElementsAre(AllOf(
                  HasSubstr("worker 1 to worker 2 by worker1.up, worker2.down: 80.0 Mbit/s of "
                            "payload, expected 95.6 (by arithmetic), 16.4 % too slow"),
                  HasSubstr("1 more of the 3 flows"), Not(HasSubstr("hypervisor")))));
  slow.stolen_share = 0.23;
  EXPECT_THAT(reasons(slow), ElementsAre(HasSubstr("hypervisor kept 23 %")));
}

TEST(LinkProbe, HoldsSlowFlowsAgainstACalibrationOfThisMachineAndFastOnesAgainstArithmetic) {
  auto busy = probe();
  busy.flows[0].goodput_mbit = 0.95 * busy.flows[0].expected_mbit;
  EXPECT_THAT(reasons(busy), SizeIs(1));
  busy.calibrated = true;
  busy.reference = 0.97;
  EXPECT_THAT(reasons(busy), IsEmpty());
  busy.flows[0].goodput_mbit = 0.93 * busy.flows[0].expected_mbit;
  EXPECT_THAT(reasons(busy), ElementsAre(HasSubstr("expected 92.8 (calibrated)")));
  busy.reference = 0.9;
  EXPECT_THAT(reasons(busy), IsEmpty());
  busy.flows[0].goodput_mbit = 1.04 * busy.flows[0].expected_mbit;
  EXPECT_THAT(reasons(busy),
              ElementsAre(HasSubstr("expected 95.6 (by arithmetic), 4.0 % too fast")));
}

TEST(LinkProbe, WithDelayJudgesTheRoundTripAndOnlyTooFastARate) {
  auto far = probe();
  far.judges_slow = false;
  for (auto& flow : far.flows) {
    flow.goodput_mbit = 20;
    flow.expected_rtt_ms = 40;
    flow.rtt_ms = 40.9;
  }
  EXPECT_THAT(reasons(far), IsEmpty());
  far.flows[1].rtt_ms = 38.5;
  EXPECT_THAT(reasons(far), ElementsAre(HasSubstr("38.50 ms, expected 40.00")));
  far.flows[0].goodput_mbit = 100;
  EXPECT_THAT(reasons(far), SizeIs(2));
}

TEST(LinkProbe, WithDelayJudgesTheRateByDatagrams) {
  auto far = probe();
  far.judges_slow = false;
  far.calibrated = true;
  far.reference = 0.9;  // of TCP, which datagrams have nothing to do with
  far.flows[0].datagrams = true;
  EXPECT_THAT(reasons(far), IsEmpty());
  far.flows[0].goodput_mbit = 0.9 * far.flows[0].expected_mbit;
  far.flows[0].idle_share = 0.05;
  EXPECT_THAT(reasons(far), IsEmpty()) << "the CPUs may be why";
  far.flows[0].idle_share = 0.5;
  EXPECT_THAT(reasons(far), ElementsAre(HasSubstr("10.0 % too slow")));
  EXPECT_TRUE(link_probe_from_json(to_json(far)).flows[0].datagrams);
}

TEST(LinkProbe, ThatCouldNotBeMadeSaysWhy) {
  auto none = probe();
  none.failure = "pacbench-netd ended with exit code 1";
  EXPECT_THAT(reasons(none), ElementsAre(HasSubstr("could not be made: pacbench-netd ended")));
  EXPECT_FALSE(worst_ratio(none));
}

/// A probe whose first flow got this share of its rate while this share of the CPUs was taken.
LinkProbe held_up(double share, double best_share, double taken_share) {
  auto slow = probe();
  slow.machine.emplace();
  slow.machine->watched = true;
  slow.machine->cpus = 2;
  slow.machine->to_ns = 1'000'000'000;
  slow.machine->stolen_s = 2 * taken_share;
  slow.flows[0].goodput_mbit = share * slow.flows[0].expected_mbit;
  slow.flows[0].best_mbit = best_share * slow.flows[0].expected_mbit;
  return slow;
}

TEST(LinkProbe, DoesNotBlameALinkWhoseBestPartsHaveItsRateForAMachineThatWasTakenAway) {
  EXPECT_THAT(reasons(held_up(0.8, 0.99, 0.2)), IsEmpty());
  EXPECT_THAT(disturbances(held_up(0.8, 0.99, 0.2)), ElementsAre(HasSubstr("20 % of the CPUs'")));
  EXPECT_THAT(reasons(held_up(0.8, 0.9, 0.2)), SizeIs(1)) << "a link that is 10 % too slow";
  EXPECT_THAT(reasons(held_up(0.5, 0.99, 0.2)), SizeIs(1)) << "a fifth of the CPUs explains 0.4";
  EXPECT_THAT(reasons(held_up(0.9, 0.99, 0.01)), SizeIs(1)) << "nobody took the machine away";
  auto over_a_trunk = held_up(0.5, 0.99, 0.2);
  over_a_trunk.flows[0].directions.insert(over_a_trunk.flows[0].directions.begin() + 1, "trunk 0");
  EXPECT_THAT(reasons(over_a_trunk), IsEmpty()) << "packets need a CPU in three places";
}

TEST(LinkProbe, FindsALinkThatIsTooFastInItsBestPartsOrInAllThoughLittleGotThrough) {
  EXPECT_THAT(reasons(held_up(0.9, 1.1, 0.2)), ElementsAre(HasSubstr("too fast")));
  auto spaced = held_up(0.8, 0.95, 0.2);
  spaced.flows[0].packet_mbit = 1.08 * spaced.flows[0].expected_mbit;
  EXPECT_THAT(reasons(spaced), ElementsAre(HasSubstr("8.0 % too fast")));
  auto unspaced = held_up(0.8, 0.99, 0.2);
  unspaced.flows[0].packet_mbit = 1.5 * unspaced.flows[0].expected_mbit;
  unspaced.flows[0].expected_spacing_mbit = 0;
  EXPECT_THAT(reasons(unspaced), IsEmpty()) << "a trunk sends packets in groups";
  unspaced.flows[0].best_mbit = 0.9 * unspaced.flows[0].expected_mbit;
  EXPECT_THAT(reasons(unspaced), SizeIs(1)) << "and their spacing excuses no slow trunk";
  auto fast = held_up(0.9, 0.99, 0.2);
  fast.flows[0].whole_mbit = 1.05 * fast.flows[0].expected_mbit;
  EXPECT_THAT(reasons(fast), ElementsAre(HasSubstr("5.0 % too fast")));
}

TEST(LinkProbe, FindsThatDatagramsAreSpacedTooCloselyHoweverShortTheQuietTimeWas) {
  auto far = probe();
  auto& flow = far.flows[0];
  flow.datagrams = true;
  flow.expected_mbit = 4;
  flow.expected_spacing_mbit = 4 / 0.95;  // 5 % get lost behind the shaper
  flow.window_s = 0.5;                    // so packets at the ends may add 9 %
  flow.goodput_mbit = 1.1 * flow.expected_mbit;
  flow.packet_mbit = flow.expected_spacing_mbit;
  EXPECT_THAT(reasons(far), IsEmpty());
  flow.packet_mbit = 1.1 * flow.expected_spacing_mbit;
  EXPECT_THAT(reasons(far), ElementsAre(HasSubstr("10.0 % too fast")));
  flow.expected_spacing_mbit = 0;
  EXPECT_THAT(reasons(far), IsEmpty());
}

TEST(LinkProbe, JudgesAQueueByHowLongItHoldsPacketsWhenItIsFull) {
  auto queued = probe();
  queued.queues = {{"worker0.up", 21, 20, 21.5, 3}, {"worker1.up", 21, {}, {}, 3}};
  EXPECT_THAT(reasons(queued), IsEmpty());
  queued.queues[0].shortest_ms = 2.1;
  EXPECT_THAT(reasons(queued), IsEmpty()) << "it was once held up while it filled";
  queued.queues[0].longest_ms = 2.2;
  EXPECT_THAT(reasons(queued), ElementsAre(HasSubstr("worker0.up held packets for 2.2 ms")));
  queued.queues[0] = {"worker0.up", 21, 40, 41, 3};
  EXPECT_THAT(reasons(queued), ElementsAre(HasSubstr("for 40.0 ms, expected 21.0")));
  queued.queues[0].taken_share = 0.2;
  EXPECT_THAT(reasons(queued), IsEmpty()) << "packets wait longer where nobody carries them";
}

TEST(LinkProbe, IsTheSameAfterItsLine) {
  auto one = probe();
  one.link = "wan";
  one.cells = {"a-wan-1", "b-wan-1"};
  one.calibrated = true;
  one.reference = 0.98;
  one.flows[1].rtt_ms = 1.5;
  one.flows[1].retransmits = 3;
  one.stolen_share = 0.01;
  one.machine = held_up(0.8, 0.99, 0.2).machine;
  one.flows[0].best_mbit = 95;
  one.flows[0].whole_mbit = 90;
  one.queues = {{"worker0.up", 21, 20, 21.5, 3}, {"worker1.up", 21, {}, {}, 3}};
  EXPECT_EQ(to_json(link_probe_from_json(to_json(one))), to_json(one));
}

}  // namespace
}  // namespace pacbench::record
