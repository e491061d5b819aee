#include "harness/launch/measured_links.h"

#include <gtest/gtest.h>

#include "tests/unit/harness/example.h"

namespace pacbench::launch {
namespace {

LinkProfile measured(const std::string& name, double rate_mbit) {
  LinkProfile link;
  link.name = name;
  link.measured = true;
  link.up_mbit = link.down_mbit = rate_mbit;
  return link;
}

Scenario with(std::vector<LinkProfile> links) {
  Scenario scenario;
  scenario.network.links = std::move(links);
  return scenario;
}

TEST(MeasuredLinks, GoOnWithTheRatesThatTheRunHasRecorded) {
  const auto resumed = with_links_of(with({measured("a", 0), measured("b", 0)}),
                                     with({measured("b", 94.1), measured("c", 5)}));
  EXPECT_TRUE(has_unknown_links(resumed));
  EXPECT_EQ(resumed.network.links[0].up_mbit, 0);
  EXPECT_EQ(resumed.network.links[1].up_mbit, 94.1);
  EXPECT_EQ(resumed.network.links[1].down_mbit, 94.1);
  EXPECT_FALSE(has_unknown_links(with({measured("a", 1)})));
}

}  // namespace
}  // namespace pacbench::launch
