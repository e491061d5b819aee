#include "simulate/platform/simgrid_network.h"

#include <gmock/gmock.h>

namespace pacbench::simulate {
namespace {

constexpr double kBytesPerSecond = 100e6 / 8;  // 100 Mbit/s

SimulatedLinks star_of(int workers) {
  SimulatedLinks links;
  links.tree = netd::star(workers, 100);
  return links;
}

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

TEST(SimGridNetwork, HasTheRatesAndBucketsOfAnEmulatedStar) {
  const auto links = star_of(3);
  SimGridNetwork network{links, whole()};
  const auto& path = network.path(0, 1);
  ASSERT_EQ(path.directions.size(), 2u);
  const auto& up = network.service(path.directions[0]);
  EXPECT_DOUBLE_EQ(up.bytes_per_s, kBytesPerSecond);
  EXPECT_DOUBLE_EQ(up.bucket_bytes.value(),
                   static_cast<double>(links.tree.shaper.ceil_burst_bytes));
  // Packets reach a worker already spaced, so its down link has the large bucket.
  const auto& down = network.service(path.directions[1]);
  EXPECT_DOUBLE_EQ(down.bucket_bytes.value(), static_cast<double>(links.tree.shaper.burst_bytes));
}

TEST(SimGridNetwork, TakesAShareOfTheRate) {
  const auto links = star_of(2);
  auto model = whole();
  model.bandwidth_factor = 0.5;
  SimGridNetwork network{links, model};
  EXPECT_DOUBLE_EQ(network.service(network.path(0, 1).directions[0]).bytes_per_s,
                   kBytesPerSecond / 2);
}

TEST(SimGridNetwork, AddsUpTheDelaysOfAPath) {
  auto links = star_of(2);
  for (auto& worker : links.tree.workers) worker.up.impairment.delay_ms = 100;
  SimGridNetwork network{links, whole()};
  EXPECT_DOUBLE_EQ(network.path(0, 1).latency_s, 0.1);
}

TEST(SimGridNetwork, CallsBackInTheOrderOfTimes) {
  const auto links = star_of(2);
  SimGridNetwork network{links, whole()};
  std::vector<double> times;
  for (const double at_s : {0.2, 0.1}) {
    network.after(at_s, [&] { times.push_back(network.now_s()); });
  }
  network.run();
  EXPECT_THAT(times, ::testing::ElementsAre(0.1, 0.2));
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
