#include "harness/calibration/foreign_hosts.h"

#include <gmock/gmock.h>

namespace pacbench::calibration {
namespace {

using ::testing::HasSubstr;

const Json kNetwork = {{"name", "Mininet"},
                       {"rate_mbit", 100},
                       {"congestion_control", "bbr"},
                       {"hosts",
                        {{{"pid", 12}, {"address", "10.0.0.1"}, {"interface", "h0-eth0"}},
                         {{"pid", 13}, {"address", "10.0.0.2"}, {"interface", "h1-eth0"}}}}};

TEST(ForeignNetwork, IsReadFromItsFile) {
  const auto network = foreign_network_from_json("file", kNetwork);
  EXPECT_EQ(network.rate_mbit, 100);
  EXPECT_EQ(network.mtu, 1500);
  const ForeignHosts hosts{network};
  EXPECT_EQ(hosts.address(1), "10.0.0.2");
  EXPECT_EQ(hosts.interface(0), "h0-eth0");
}

TEST(ForeignNetwork, IsAStarUnlessItIsAChain) {
  EXPECT_EQ(foreign_network_from_json("file", kNetwork).topology, "star");
  auto document = kNetwork;
  document["topology"] = "chain3";
  EXPECT_EQ(foreign_network_from_json("file", document).topology, "chain3");
}

TEST(ForeignNetwork, NamesEveryMistakeWithItsPlace) {
  auto document = kNetwork;
  document["rate_mbit"] = 0;
  document["hosts"] = Json::array({{{"pid", 0}, {"address", "10.0.0.1"}, {"interface", "eth0"}}});
  document["hots"] = 1;
  document["topology"] = "ring";
  try {
    foreign_network_from_json("file", document);
    FAIL() << "was taken";
  } catch (const ConfigError& error) {
    for (const char* place : {"/rate_mbit", "/hosts/0/pid", "/hosts: ", "/hots", "/topology"}) {
      EXPECT_THAT(error.what(), HasSubstr(place));
    }
  }
}

}  // namespace
}  // namespace pacbench::calibration
