#include <gmock/gmock.h>

#include "contract/worker/event_kind.h"
#include "contract/worker/worker_event.h"
#include "simulate/ranks/simulation.h"
#include "tests/unit/simulate/calls.h"
#include "tests/unit/simulate/plain_network.h"

namespace pacbench::simulate {
namespace {

Call all_reduce(std::int64_t elements, double work_ms) {
  auto call = call_of("all_reduce", elements);
  call.work_ms = work_ms;
  return call;
}

/// Two ranks that make two steps. A step has 10 ms of forward pass, two buckets that are ready
/// after 4 and 6 ms of backward pass, and 1 ms of optimiser.
SimulationSpec spec_of(const std::vector<MethodExchanges::Bucket>& buckets) {
  SimulationSpec spec;
  spec.workers = 2;
  spec.iterations = 2;
  spec.traits = {{}, {}};
  spec.model = only_links();
  spec.profile.buckets = {{{"a"}, 100}, {{"b"}, 100}};
  spec.profile.iterations = {{10, {4, 6}, 1, 0}};
  spec.profile.sample.counts = {1, 1};
  MethodExchanges exchanges;
  exchanges.workers = 2;
  exchanges.buckets = buckets;
  spec.profile.exchanges = {exchanges};
  return spec;
}

struct Told {
  std::vector<IterationEvent> iterations;
  int ready = 0;
  int done = 0;
};

Told simulated(const SimulationSpec& spec, double bytes_per_s = 1e9) {
  Told told;
  PlainNetwork network{bytes_per_s};
  Simulation simulation{spec, network, [&](const Json& event) {
                          const auto kind = kind_of(event);
                          told.ready += kind == EventKind::kReady ? 1 : 0;
                          told.done += kind == EventKind::kDone ? 1 : 0;
                          if (kind != EventKind::kIteration) return;
                          told.iterations.push_back(event.get<IterationEvent>());
                        }};
  simulation.start();
  network.run();
  simulation.finish();
  return told;
}

double ms(const Span& span) { return 1e-6 * static_cast<double>(span.end_ns - span.start_ns); }

TEST(SimulatedRank, ComputesForAsLongAsItsProfileSays) {
  const auto told = simulated(spec_of({{100, {}, 0}, {100, {}, 0}}));
  ASSERT_EQ(told.iterations.size(), 4u);
  EXPECT_EQ(told.ready, 2);
  EXPECT_EQ(told.done, 2);
  const auto& first = told.iterations.front();
  EXPECT_DOUBLE_EQ(ms(first.forward), 10);
  EXPECT_DOUBLE_EQ(ms(first.backward), 6);
  EXPECT_DOUBLE_EQ(ms(first.optimizer), 1);
  EXPECT_DOUBLE_EQ(ms(first.step), 17);
  EXPECT_EQ(told.iterations.back().iteration, 2);
  EXPECT_DOUBLE_EQ(told.iterations.back().training_s, 0.034);
}

TEST(SimulatedRank, EncodesAndDecodesOnOneThread) {
  // The first bucket is ready after 14 ms and has 5 ms of work. The second is ready after 16 ms, so
  // it waits before its 2 ms of work.
  const auto told = simulated(spec_of({{100, {}, 5}, {100, {}, 2}}));
  const auto& exchanges = told.iterations.front().buckets;
  ASSERT_EQ(exchanges.size(), 2u);
  EXPECT_EQ(exchanges[0].exchange.end_ns, 19'000'000);
  EXPECT_EQ(exchanges[1].exchange.end_ns, 21'000'000);
  EXPECT_DOUBLE_EQ(ms(told.iterations.front().exposed), 5);
}

TEST(SimulatedRank, TracesItsCollectives) {
  const auto told = simulated(spec_of({{100, {all_reduce(100, 1)}, 0}, {100, {}, 0}}), 1e5);
  const auto& call = told.iterations.front().buckets.front().collectives.at(0);
  EXPECT_EQ(call.op, "all_reduce");
  EXPECT_EQ(call.payload_bytes, 400);
  EXPECT_EQ(call.sent_bytes, 400);
  EXPECT_EQ(call.group_size, 2);
  EXPECT_EQ(call.ready_ns, 15'000'000);
  // A rank sends four segments of 100 bytes, two in each phase of the ring, with headers. Before
  // each segment the link carries the notification for a segment in the opposite direction.
  EXPECT_NEAR(ms(call.wire), 4 * ((100 + 48 + 66) + (48 + 66)) / 100.0, 1e-6);
}

TEST(SimulatedRank, SendsPacketsOfTwoJumboFramesAsAnEmulatedCellDoes) {
  auto spec = spec_of({{100'000, {call_of("all_gather", 100'000)}, 0}, {100, {}, 0}});
  spec.workers = 3;
  spec.traits = {{}, {}, {}};
  spec.mtu = 9000;
  const auto ends_ns = [&](std::int64_t gso_max_bytes) {
    spec.links.tree.shaper.gso_max_bytes = gso_max_bytes;
    std::vector<std::int64_t> ends;
    for (const auto& event : simulated(spec, 1e6).iterations) ends.push_back(event.step.end_ns);
    return ends;
  };
  EXPECT_EQ(ends_ns(8192), ends_ns(18'000));
  EXPECT_NE(ends_ns(18'000), ends_ns(36'000)) << "the size of a packet shows in these times";
}

TEST(SimulatedRank, TakesAsManyTimesAsLongAsASlowWorkerDoes) {
  auto spec = spec_of({{100, {}, 0}, {100, {}, 0}});
  spec.traits = {{}, {.compute_factor = 3}};
  const auto told = simulated(spec);
  for (const auto& event : told.iterations)
    EXPECT_DOUBLE_EQ(ms(event.step), event.rank == 1 ? 51 : 17);
}

TEST(SimulatedRank, BeginsAsMuchLaterAsItsScenarioSays) {
  auto spec = spec_of({{100, {all_reduce(100, 0)}, 0}, {100, {all_reduce(100, 0)}, 0}});
  const auto end_s = [&] { return simulated(spec).iterations.back().training_s; };
  const double together_s = end_s();
  spec.traits = {{}, {.start_delay_s = 3}};
  EXPECT_NEAR(end_s(), together_s + 3, 0.001)
      << "the first exchange waits for it, later ones do not";
}

TEST(SimulatedRank, IsMissedWhenOthersWaitForIt) {
  auto spec = spec_of({});
  MethodExchanges::Rank calls;
  calls.iterations.emplace_back();
  spec.profile.exchanges.front().ranks = {calls, calls};
  spec.profile.exchanges.front().ranks[0].iterations[0].step.steps = {all_reduce(10, 0)};
  EXPECT_THROW(simulated(spec), std::runtime_error);
}

TEST(SimulatedRank, AveragesWeightsAmongSomeRanks) {
  auto spec = spec_of({});
  MethodExchanges::Rank calls;
  calls.iterations.resize(2);
  auto some = all_reduce(10, 0);
  some.ranks = {0, 1};
  calls.iterations[1].weights.steps = {some};
  spec.profile.exchanges.front().ranks = {calls, calls};
  const auto told = simulated(spec);
  ASSERT_EQ(told.iterations.size(), 4u);
  EXPECT_TRUE(told.iterations[0].buckets.empty());
  ASSERT_EQ(told.iterations[3].buckets.size(), 1u);
  EXPECT_EQ(told.iterations[3].buckets[0].index, -1);
}

}  // namespace
}  // namespace pacbench::simulate
