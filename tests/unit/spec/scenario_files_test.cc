#include <gtest/gtest.h>

#include "base/json_reader.h"

namespace pacbench::testing {
namespace {

Json scenario(const std::string& name) {
  return read_json_file(PACBENCH_SOURCE_DIR "/scenarios/" + name + ".json");
}

TEST(ScenarioFiles, OfTheMainJobDifferInTheirNetworkOnly) {
  const auto wan100 = scenario("wan100");
  for (const char* name : {"wan500", "wan1000", "paper-links", "moving-link", "slow-link"}) {
    const auto other = scenario(name);
    for (const auto& [key, value] : wan100.items()) {
      if (key == "name" || key == "network") continue;
      EXPECT_EQ(other.at(key), value) << name << ": " << key;
    }
    EXPECT_EQ(other.size(), wan100.size()) << name;
    EXPECT_EQ(other.at("name"), name);
  }
}

TEST(ScenarioFiles, StarOrChainHasTheWorkloadOfTheMainJob) {
  EXPECT_EQ(scenario("star-or-chain").at("workload"), scenario("wan100").at("workload"));
  EXPECT_EQ(scenario("star-or-chain").at("targets"), scenario("wan100").at("targets"));
}

}  // namespace
}  // namespace pacbench::testing
