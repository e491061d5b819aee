#include "simulate/platform/simgrid_network.h"

#include <gmock/gmock.h>

namespace pacbench::simulate {
namespace {

SimulatedLinks cluster(const std::string& topology, std::vector<int> shape) {
  SimulatedLinks links;
  links.topology = topology;
  links.shape = std::move(shape);
  links.rate_mbit = 100;
  links.delay_ms = 1;
  return links;
}

/// A model in which a link carries its whole rate.
Simulate whole() { return {1, 0, 0, 0, 0, 0}; }

// SimGrid has one engine in a process, so CTest starts each test in a process of its own.

TEST(SimGridNetwork, HasTheBucketsDelaysAndAShareOfTheRatesOfAnEmulatedStar) {
  SimulatedLinks links;
  links.tree = netd::star(3, 100);
  for (auto& worker : links.tree.workers) worker.up.impairment.delay_ms = 100;
  auto model = whole();
  model.bandwidth_factor = 0.5;
  SimGridNetwork network{links, model};
  const auto& path = network.path(0, 1);
  EXPECT_DOUBLE_EQ(path.latency_s, 0.1);
  ASSERT_EQ(path.directions.size(), 2u);
  const auto& up = network.service(path.directions[0]);
  EXPECT_DOUBLE_EQ(up.bytes_per_s, 0.5 * 100e6 / 8);
  EXPECT_DOUBLE_EQ(up.bucket_bytes.value(),
                   static_cast<double>(links.tree.shaper.ceil_burst_bytes));
  // Packets reach a worker already spaced, so its down link has the large bucket.
  const auto& down = network.service(path.directions[1]);
  EXPECT_DOUBLE_EQ(down.bucket_bytes.value(), static_cast<double>(links.tree.shaper.burst_bytes));
}

TEST(SimGridNetwork, NamesTheDirectionsOfATreeAsAnEmulatedCellDoes) {
  SimulatedLinks links;
  links.tree.switches = 2;
  links.tree.workers = {{0, {100, 0, {}}, {100, 0, {}}}, {1, {100, 0, {}}, {100, 0, {}}}};
  links.tree.trunks = {{0, 1, {50, 0, {}}, {50, 0, {}}}};
  SimGridNetwork network{links, whole()};
  std::vector<std::string> names;
  for (const int direction : network.path(0, 1).directions) {
    names.push_back(network.directions()[static_cast<std::size_t>(direction)]);
  }
  EXPECT_EQ(names, netd::route(links.tree, 0, 1));
}

TEST(SimGridNetwork, FillsEachLinkOfATorus) {
  const auto links = cluster("torus", {2, 2, 2});
  SimGridNetwork network{links, whole()};
  EXPECT_EQ(network.path(0, 1).directions.size(), 1u);
  EXPECT_DOUBLE_EQ(network.path(0, 7).latency_s, 0.003);
}

TEST(SimGridNetwork, GoesOverSpinesOfAFatTreeOnlyBetweenLeaves) {
  const auto links = cluster("fat-tree", {4, 2, 2});
  SimGridNetwork network{links, whole()};
  EXPECT_EQ(network.path(0, 1).directions.size(), 2u);
  EXPECT_EQ(network.path(0, 7).directions.size(), 4u);
}

TEST(SimGridNetwork, CrossesGroupsOfADragonfly) {
  const auto links = cluster("dragonfly", {2, 2, 2, 2});
  SimGridNetwork network{links, whole()};
  EXPECT_GT(network.path(0, 15).directions.size(), network.path(0, 1).directions.size());
}

}  // namespace
}  // namespace pacbench::simulate
