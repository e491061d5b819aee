#include "harness/links/probing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/calibration/calibrate.h"
#include "harness/links/fabric.h"
#include "tests/emulation/daemon_client.h"

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr double kProbedMbit = 50;
// The most TCP payload that a link of this rate carries: 1448 of each 1514 bytes, and 5 % that a
// burst may add in the time that these tests take.
constexpr double kMostGoodputMbit = kProbedMbit * 1448 / 1514 * 1.05;

class Probing : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_FABRIC();
    fabric_.emplace(PACBENCH_NETD, netd::star(3, kProbedMbit));
    probing_.emplace(*fabric_, PACBENCH_LINK_PROBE, interrupt_);
  }

  Interrupt interrupt_;
  std::optional<links::Fabric> fabric_;
  std::optional<pacbench::links::Probing> probing_;
};

TEST_F(Probing, FlowsOfARingStartTogetherAndNoneIsFasterThanItsLink) {
  const auto flows = probing_->flows({{0, 1}, {1, 2}, {2, 0}}, 0.5);
  ASSERT_THAT(flows, SizeIs(3));
  const auto [from_ns, to_ns] = links::common_time(flows);
  EXPECT_GT(to_ns, from_ns);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_EQ(flows[i].path.from, static_cast<int>(i));
    EXPECT_EQ(flows[i].samples.back().bytes, flows[i].bytes);
    EXPECT_GT(flows[i].segments, 0);
    EXPECT_THAT(links::goodput_mbit(flows[i], from_ns, to_ns), AllOf(Gt(0), Lt(kMostGoodputMbit)));
  }
}

TEST_F(Probing, APacedFlowSendsNoMoreThanItsRate) {
  const auto flows = probing_->flows({{0, 1}}, 0.5, {10});
  // Half a second at the rate, and the part that is sent at the start.
  EXPECT_THAT(flows.front().bytes, AllOf(Gt(0), ::testing::Le(625'000 + 8'192)));
}

TEST_F(Probing, AMessageTakesAtLeastWhatItsLastBytesWaitBehind) {
  const std::int64_t bytes = 200'000;
  const auto times = probing_->messages({2, 0}, bytes, 4, 5);
  // All bytes but a burst and the last packet pass at the rate.
  const double least_ms = (bytes - 2 * 16'384) * 8e-3 / kMostGoodputMbit;
  ASSERT_THAT(times, SizeIs(4));
  for (const auto& message : times) {
    EXPECT_GT(message.arrived_ms, least_ms);
    EXPECT_GT(message.read_ms, message.arrived_ms) << "the kernel has it before the program";
  }
}

TEST_F(Probing, PingsAreAllAnsweredAlsoWhereAServerWasASenderBefore) {
  EXPECT_THAT(probing_->pings_ms({{0, 2}, {1, 2}}, 5, 1),
              AllOf(SizeIs(2), Each(AllOf(SizeIs(5), Each(Gt(0))))));
  EXPECT_THAT(probing_->pings_ms({{2, 0}}, 3, 1).front(), SizeIs(3));
}

TEST_F(Probing, DatagramsBelowTheRateAllArriveInOrder) {
  const auto arrived = probing_->datagrams({1, 0}, 50);
  EXPECT_EQ(arrived.sent, 50);
  EXPECT_EQ(arrived.received, 50);
  EXPECT_EQ(arrived.reordered, 0);
  EXPECT_EQ(arrived.duplicates, 0);
  EXPECT_THAT(arrived.delays_ms, AllOf(SizeIs(50), Each(Gt(0))));
}

TEST_F(Probing, AProgramThatGivesUpIsNamedWithItsWords) {
  EXPECT_THAT(
      [&] {
        probing_->messages({0, 1}, 4, 1);
      },
      ThrowsMessage<ProtocolError>(
          AllOf(HasSubstr("worker 0"), HasSubstr("messages 10.77.0.2 --bytes 4"))));
}

TEST(Calibrate, StepsOfTheRateLeaveTheLinksAsTheyWere) {
  REQUIRE_FABRIC();
  const calibration::Network kThree{3, 1500};
  const Interrupt interrupt;
  links::Fabric fabric{PACBENCH_NETD,
                       calibration::network_of(kThree, kProbedMbit, calibration::Shaped::kBoth)};
  links::Probing probing{fabric, PACBENCH_LINK_PROBE, interrupt};
  const auto rows = calibration::run_test({{kProbedMbit, calibration::Quantity::kRateStep}, 1, 0},
                                          kThree, fabric, probing);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[0].measured, AllOf(SizeIs(2), Each(Gt(0)))) << "there and back";
  EXPECT_THAT(rows[1].measured, Each(Gt(0)));
  EXPECT_THAT(fabric.counters().deviations, IsEmpty());
}

TEST(GoodputMbit, IsThatOfTheLinkThoughTheMachinePauses) {
  links::FlowMeasurement flow;
  std::int64_t at_ns = 0;
  for (int sample = 0; sample < 200; ++sample) {
    const bool paused = sample % 20 == 19;
    at_ns += paused ? 50'000'000 : 10'000'000;
    flow.samples.push_back({at_ns, sample * 10'000});
  }
  EXPECT_DOUBLE_EQ(links::goodput_mbit(flow, 0, at_ns), 8);
}

TEST(GoodputMbit, IsTakenBetweenArrivalsWithinTheTimeAlsoOfAFlowShorterThanAPart) {
  links::FlowMeasurement flow;
  flow.samples = {{0, 0}, {10'000'000, 20'000}, {20'000'000, 30'000}};
  EXPECT_DOUBLE_EQ(links::goodput_mbit(flow, 0, 20'000'000), 12);
  flow.samples = {{1'000'000'000, 1000}, {2'000'000'000, 1'001'000}, {3'000'000'000, 9'001'000}};
  EXPECT_DOUBLE_EQ(links::goodput_mbit(flow, 900'000'000, 2'900'000'000), 8);
  EXPECT_DOUBLE_EQ(links::goodput_mbit(flow, 1'500'000'000, 3'000'000'000), 64);
  EXPECT_DOUBLE_EQ(links::goodput_mbit(flow, 2'500'000'000, 2'900'000'000), 0);
}

}  // namespace
}  // namespace pacbench
