#include "simulate/platform/simgrid_network.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

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

/// A model that takes nothing away from a link.
Simulate whole() { return {1, 1, 0, 0, 0, 0}; }

/// Carries a second's bytes along each pair at once; returns when each had come. There is one
/// engine a process, so that each test runs in a process of its own (CTest starts them so).
std::vector<double> carried(SimGridNetwork& network,
                            const std::vector<std::pair<int, int>>& pairs) {
  std::vector<double> ends;
  for (const auto& [from, to] : pairs) {
    network.after(0, [&network, &ends, from = from, to = to] {
      network.carry(from, to, kBytesPerSecond, [&] { ends.push_back(network.now_s()); });
    });
  }
  network.run();
  return ends;
}

TEST(SimGridNetwork, CarriesAtTheRateOfALink) {
  SimGridNetwork network{star_of(3), whole()};
  EXPECT_THAT(carried(network, {{0, 1}}), ::testing::ElementsAre(::testing::DoubleNear(1, 1e-6)));
}

TEST(SimGridNetwork, CarriesAtAShareOfTheRate) {
  SimGridNetwork network{star_of(3), {0.5, 1}};
  EXPECT_THAT(carried(network, {{0, 1}}), ::testing::ElementsAre(::testing::DoubleNear(2, 1e-6)));
}

TEST(SimGridNetwork, SharesALinkBetweenFlows) {
  SimGridNetwork network{star_of(3), whole()};
  // Two into worker 2, and one the other way, which is not in their way.
  EXPECT_THAT(carried(network, {{0, 2}, {1, 2}, {2, 0}}),
              ::testing::ElementsAre(::testing::DoubleNear(1, 1e-6), ::testing::DoubleNear(2, 1e-6),
                                     ::testing::DoubleNear(2, 1e-6)));
}

TEST(SimGridNetwork, LetsFlowsOfThreeWorkersTakeLessThanOneDoes) {
  SimGridNetwork network{star_of(4), {1, 0.75}};
  EXPECT_THAT(carried(network, {{0, 3}, {1, 3}, {2, 3}}),
              ::testing::Each(::testing::DoubleNear(4, 1e-6)));
}

TEST(SimGridNetwork, LetsThreeFlowsOfOneWorkerTakeItsWholeLink) {
  SimGridNetwork network{star_of(4), {1, 0.75}};
  EXPECT_THAT(carried(network, {{0, 1}, {0, 2}, {0, 3}}),
              ::testing::Each(::testing::DoubleNear(3, 1e-6)));
}

TEST(SimGridNetwork, DoesNotLetFlowsWaitForTheirLatency) {
  auto links = star_of(2);
  for (auto& worker : links.tree.workers) worker.up.impairment.delay_ms = 100;
  SimGridNetwork network{links, whole()};
  EXPECT_DOUBLE_EQ(network.path(0, 1).latency_s, 0.1);
  EXPECT_THAT(carried(network, {{0, 1}}), ::testing::ElementsAre(::testing::DoubleNear(1, 1e-6)));
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
  EXPECT_THAT(carried(network, {{0, 1}}), ::testing::ElementsAre(::testing::DoubleNear(2, 1e-6)));
}

TEST(SimGridNetwork, FillsEachLinkOfATorus) {
  SimGridNetwork network{cluster("torus", {2, 2, 2}), whole()};
  EXPECT_EQ(network.path(0, 1).directions.size(), 1u);
  EXPECT_DOUBLE_EQ(network.path(0, 7).latency_s, 0.003);
}

TEST(SimGridNetwork, GoesOverSpinesOfAFatTreeOnlyBetweenLeaves) {
  SimGridNetwork network{cluster("fat-tree", {4, 2, 2}), whole()};
  EXPECT_EQ(network.path(0, 1).directions.size(), 2u);
  EXPECT_EQ(network.path(0, 7).directions.size(), 4u);
}

TEST(SimGridNetwork, CrossesGroupsOfADragonfly) {
  SimGridNetwork network{cluster("dragonfly", {2, 2, 2, 2}), whole()};
  EXPECT_GT(network.path(0, 15).directions.size(), network.path(0, 1).directions.size());
}

/// The ends of flows that come and go over a chain of two switches, some alone and some not.
std::vector<double> ends_over_a_chain(bool lone_flows) {
  SimulatedLinks links;
  links.tree.switches = 2;
  for (int worker = 0; worker < 4; ++worker) {
    const netd::Direction own{100.0 + 10 * worker, 0, {}};
    links.tree.workers.push_back({worker / 2, own, own});
  }
  links.tree.trunks = {{0, 1, {70, 0, {}}, {60, 0, {}}}};
  SimGridNetwork network{links, {0.9, 0.8}, lone_flows};
  std::vector<double> ends;
  for (int i = 0; i < 60; ++i) {
    const int from = i * 7 % 4;
    const int to = (from + 1 + i % 3) % 4;
    network.after(0.05 * i, [&network, &ends, from, to, i] {
      network.carry(from, to, 1e5 * (1 + i * 13 % 11), [&] { ends.push_back(network.now_s()); });
    });
  }
  network.run();
  return ends;
}

// One engine a process: the second simulation is of a child.
TEST(SimGridNetwork, SaysTheSameOfFlowsThatAreAloneAsSimGridDoes) {
  std::string expected;
  {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const auto child = ::fork();
    if (child == 0) {
      for (const double end : ends_over_a_chain(false)) dprintf(pipe_ends[1], "%.5f ", end);
      ::_exit(0);
    }
    ::close(pipe_ends[1]);
    char buffer[4096];
    for (ssize_t n; (n = ::read(pipe_ends[0], buffer, sizeof buffer)) > 0;) {
      expected.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(pipe_ends[0]);
    ::waitpid(child, nullptr, 0);
  }
  std::istringstream words{expected};
  const auto lone = ends_over_a_chain(true);
  ASSERT_EQ(lone.size(), 60u);
  for (const double end : lone) {
    double other = 0;
    words >> other;
    EXPECT_NEAR(end, other, 2e-5);
  }
}

}  // namespace
}  // namespace pacbench::simulate
