#include "harness/path/report.h"

#include <gmock/gmock.h>

#include "tests/unit/harness/path/measured_path.h"

namespace pacbench::path {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The network that a scenario with `workers` workers reads from this "links" block.
Network read_back(const Json& links, int workers) {
  std::vector<Issue> issues;
  const Json network{{"links", links}};
  auto read = read_network(ObjectReader{network, "/network", issues}, workers, "scenario.json");
  for (const auto& issue : issues) ADD_FAILURE() << issue.pointer << ": " << issue.message;
  return read;
}

TEST(LinksBlock, OfTwoWorkersHasThePathFromEachEndAndOfMoreALinkLikeThisMachinesForEach) {
  const auto block = links_block(measured_path(), 2);
  const auto network = read_back(block.links(), 2);
  ASSERT_EQ(network.links.size(), 1u);
  const auto& link = network.links.front();
  EXPECT_DOUBLE_EQ(link.up_mbit, 50);
  EXPECT_DOUBLE_EQ(link.down_mbit, 20);
  ASSERT_EQ(link.overrides.size(), 1u);
  EXPECT_EQ(link.overrides[0].worker, 1);
  EXPECT_DOUBLE_EQ(link.overrides[0].up_mbit.value(), 20);
  EXPECT_DOUBLE_EQ(link.overrides[0].down_mbit.value(), 50);
  EXPECT_THAT(block.notes, IsEmpty());
  const auto of_eight = read_back(links_block(measured_path(), 8).links(), 8);
  EXPECT_DOUBLE_EQ(of_eight.links.front().up_mbit, 50);
  EXPECT_THAT(of_eight.links.front().overrides, IsEmpty());
}

TEST(LinksBlock, RatesThatAreEqualButForWhatMeasuringIsOffAreOneRate) {
  auto measurement = measured_path();
  measurement.down = measurement.up;
  measurement.down.alone->goodput_mbit *= 0.998;
  measurement.up.alone->goodput_mbit *= 1.002;
  EXPECT_EQ(links_block(measurement, 2).links(),
            Json::parse(R"([{"name": "measured", "rate_mbit": 50.0, "delay_ms": 10.0}])"));
}

TEST(LinksBlock, HasAQuarterOfTheRoundTripAsAPacketCrossesTwoLinksEachWay) {
  auto measurement = measured_path();
  measurement.up.datagrams->received = 962;
  const auto link = read_back(links_block(measurement, 2).links(), 2).links.front();
  EXPECT_DOUBLE_EQ(link.impairment.delay_ms, 10);
  EXPECT_NEAR(1 - (1 - link.impairment.loss) * (1 - link.impairment.loss), 0.019, 2e-4);
  // A round trip as short as that of emulated links is no delay.
  measurement.round_trips.ms = {0.2, 0.3, 0.4};
  EXPECT_FALSE(links_block(measurement, 2).links()[0].contains("delay_ms"));
}

TEST(LinksBlock, HasJitterOnlyWherePacketsOvertookEachOther) {
  auto measurement = measured_path();
  measurement.up.datagrams->jitter_ms = 2.8;
  auto block = links_block(measurement, 2);
  EXPECT_FALSE(block.links()[0].contains("jitter_ms"));
  EXPECT_THAT(block.notes, ElementsAre(HasSubstr("jitter of 2.80 ms is not in the links below")));
  measurement.up.datagrams->reordered = 1;
  block = links_block(measurement, 2);
  EXPECT_DOUBLE_EQ(block.links()[0]["jitter_ms"], 3.0);
  EXPECT_THAT(block.notes, IsEmpty());
}

TEST(LinksBlock, APathThatDoesNotCarryBothWaysAtOnceHasTheRatesThatItCarries) {
  auto measurement = measured_path();
  for (auto* way : {&measurement.up, &measurement.down}) {
    way->both->goodput_mbit *= 0.5;
    way->paced->goodput_mbit *= 0.6;
  }
  const auto block = links_block(measurement, 2);
  EXPECT_DOUBLE_EQ(block.network.links[0].up_mbit, 25);
  EXPECT_THAT(block.notes, ElementsAre(HasSubstr("Both directions share the path's capacity")));
}

TEST(LinksBlock, WhereOnlyTcpDoesNotFillThePathItHasTheRatesOfThePath) {
  auto measurement = measured_path();
  measurement.up.both->goodput_mbit *= 0.5;
  const auto block = links_block(measurement, 2);
  EXPECT_DOUBLE_EQ(block.network.links[0].up_mbit, 50);
  EXPECT_THAT(block.notes, ElementsAre(HasSubstr("reaches only 50 % of its rate one way")));
}

TEST(LinksBlock, WithoutPacedFlowsOnlyTcpThatFillsBothWaysShowsThatThePathCarriesThemAtOnce) {
  auto measurement = measured_path();
  for (auto* way : {&measurement.up, &measurement.down}) way->paced.reset();
  EXPECT_THAT(links_block(measurement, 2).notes, IsEmpty());
  measurement.up.both->goodput_mbit *= 0.5;
  const auto block = links_block(measurement, 2);
  EXPECT_DOUBLE_EQ(block.network.links[0].up_mbit, 50);
  EXPECT_THAT(block.notes,
              ElementsAre(AllOf(HasSubstr("both ways at once was not measured"),
                                HasSubstr("reaches only 50 % of its rate one way alone"))));
  for (auto* way : {&measurement.up, &measurement.down}) way->both.reset();
  EXPECT_THAT(links_block(measurement, 2).notes,
              ElementsAre(HasSubstr("both ways at once was not measured")));
}

TEST(LinksBlock, PausesOfThisMachineAreNotTakenForAPathThatSharesItsCapacity) {
  auto measurement = measured_path();
  measurement.up.paced->goodput_mbit *= 0.7;
  measurement.up.both->goodput_mbit *= 0.3;
  EXPECT_DOUBLE_EQ(links_block(measurement, 2).network.links[0].up_mbit, 15);
  measurement.taken_share = 0.15;
  const auto block = links_block(measurement, 2);
  EXPECT_DOUBLE_EQ(block.network.links[0].up_mbit, 50);
  EXPECT_THAT(block.notes, ElementsAre(HasSubstr("others took 15 % of this machine's CPUs")));
}

TEST(LinksBlock, SaysWhereNoDatagramArrivedAndIsRefusedWithoutARateEachWay) {
  auto measurement = measured_path();
  measurement.up.datagrams->received = 0;
  EXPECT_THAT(links_block(measurement, 2).notes,
              ElementsAre(HasSubstr("No datagram arrived there")));
  measurement.down.alone.reset();
  EXPECT_THROW(links_block(measurement, 2), ConfigError);
}

TEST(LinksBlock, HasNoLinkWhereTheRateFellWhileItWasMeasured) {
  EXPECT_FALSE(fall(measured_path()));
  auto paced = measured_path();
  paced.up.paced->goodput_mbit *= 0.2;
  EXPECT_EQ(fall(paced).value().direction, Direction::kUp);
  EXPECT_TRUE(links_block(paced, 2).links().empty());
  EXPECT_THAT(links_block(paced, 2).notes, ElementsAre(HasSubstr("from here to there fell")));
  auto within = measured_path();
  within.down.alone->first_mbit = 20000;
  within.down.alone->second_mbit = 50;
  EXPECT_THAT(links_block(within, 2).notes,
              ElementsAre(HasSubstr("from there to here fell while it was measured, from 20000")));
}

}  // namespace
}  // namespace pacbench::path
