// The replay of methods whose ranks differ, or that exchange weights every few iterations. Each
// rank makes the real method's calls on that rank in that iteration.
#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <future>
#include <set>

#include "base/clock.h"
#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "tests/unit/trainer/print_method.h"
#include "trainer/compose/replayed_exchanges.h"
#include "trainer/compose/settled_exchanges.h"

namespace pacbench::trainer::test::replayed_ranks_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Tensors = std::vector<at::Tensor>;

constexpr std::int64_t kSeed = 7;

/// A layout with weights that can be pruned, an embedding, and other parameters.
Layout mixed_layout() {
  auto layout = layout_of({{40, 8}, {48}, {25, 5}});
  layout[0].slices[0].shape = {8, 5};
  layout[0].slices[0].prunable = true;
  layout[1].slices[0].shape = {6, 8};
  layout[1].slices[0].prunable = true;
  layout[2].slices[0].shape = {5, 5};
  layout[2].slices[0].embedding = true;
  return layout;
}

const Layout kLayout = mixed_layout();

RunFacts run() {
  RunFacts facts;
  facts.max_iterations = 24;
  return facts;
}

/// Weights by parameter, the same on all ranks.
Tensors some_weights() {
  Tensors weights;
  for (const auto& bucket : kLayout) {
    for (const auto& slice : bucket.slices) {
      weights.push_back(at::arange(slice.elements, at::kFloat).view(slice.shape));
    }
  }
  return weights;
}

/// A rank's input in an iteration. Gradients are the same in each iteration, and so are the sizes
/// that depend on them.
IterationInput input_of(int rank, int ranks) {
  auto gradients = integer_gradients(kLayout, ranks, 20, 1)[static_cast<std::size_t>(rank)];
  auto zeros = some_weights();
  for (auto& tensor : zeros) tensor.zero_();
  return {gradients, some_weights(), zeros};
}

/// A method whose training begins with some_weights().
std::unique_ptr<Method> begun(std::unique_ptr<Method> method) {
  method->begin(some_weights());
  return method;
}

/// The recorded calls of a method's ranks in `count` iterations from `first` on.
MethodExchanges recorded(const Choice& choice, int ranks, std::int64_t first, std::int64_t count) {
  RanksInTurn turns{ranks};
  std::vector<std::unique_ptr<Method>> methods;
  std::vector<Method*> all;
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back(methods.emplace_back(begun(make_method(choice, run()))).get());
  }
  MethodsInTurn in_turn{turns, all, kLayout, kSeed};
  std::vector<std::vector<RecordedIteration>> iterations;
  for (auto number = first; number < first + count; ++number) {
    std::vector<IterationInput> inputs;
    for (int rank = 0; rank < ranks; ++rank) inputs.push_back(input_of(rank, ranks));
    iterations.push_back(in_turn.iterate({number, 0.1, 0.1}, inputs));
  }
  auto exchanges = settled_exchanges_of_ranks(iterations, all.front()->recording().period);
  exchanges.workers = ranks;
  return exchanges;
}

/// Runs a whole iteration of a rank.
void iterate(ExchangeEngine& own, IterationInput input, std::int64_t number) {
  const Step step{number, 0.1, 0.1};
  const bool backward = own.method().needs_gradients();
  own.begin_iteration(step, backward);
  std::vector<std::promise<void>> ended(backward ? kLayout.size() : 0);
  for (std::size_t bucket = 0; bucket < ended.size(); ++bucket) {
    own.exchange(static_cast<int>(bucket), input.gradients[bucket],
                 [&ended, bucket](std::exception_ptr failure) {
                   failure ? ended[bucket].set_exception(failure) : ended[bucket].set_value();
                 });
  }
  for (auto& bucket : ended) bucket.get_future().get();
  own.finish_iteration();
  RandomKey random;
  random.seed = kSeed;
  random.iteration = number;
  OptimizerView view{input.parameters, input.parameter_gradients, step, random, [] { return 0.0; }};
  EXPECT_FALSE(own.optimizer_step(view));
  own.step_finished(view);
}

void iterate(ThreadRanks& all, int ranks, std::int64_t number) {
  all.on_all_ranks([&](std::size_t rank) {
    const auto place = static_cast<int>(rank);
    iterate(all.engine(place), input_of(place, ranks), number);
  });
}

/// Compares each rank's calls and bytes in two periods of the replay with those of the method.
/// Where gradients and residuals decide sizes, compares only the last iteration, which is recorded.
void expect_replay_of(const Choice& choice, int ranks) {
  SCOPED_TRACE(::testing::PrintToString(choice) + " of " + std::to_string(ranks));
  const auto example = make_method(choice, run());
  const auto period = example->recording().period;
  const auto first = example->recording().iterations_to_settle + 1;
  const auto count = 4 * period;
  const auto exchanges = recorded(choice, ranks, first, count);
  EXPECT_EQ(exchanges.period(), period);
  ThreadRanks real{ranks, kLayout, [&] { return begun(make_method(choice, run())); }};
  ThreadRanks replayed{ranks, kLayout, [&] { return begun(make_replayed(exchanges, 0)); }};
  const bool sizes_are_known = example->gradients().declares() == Averager::Declares::kBefore;
  std::int64_t sent_bytes = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    iterate(real, ranks, first + i);
    if (i < (sizes_are_known ? 2 * period : count - 1)) continue;
    iterate(replayed, ranks, 1 + i - 2 * period);
    for (int rank = 0; rank < ranks; ++rank) {
      SCOPED_TRACE("rank " + std::to_string(rank) + ", iteration " + std::to_string(i));
      const auto bytes = real.engine(rank).expected_sent_bytes();
      EXPECT_EQ(calls_of(replayed.engine(rank).trace()), calls_of(real.engine(rank).trace()));
      EXPECT_EQ(replayed.engine(rank).expected_sent_bytes(), bytes);
      sent_bytes += bytes;
    }
  }
  EXPECT_GT(sent_bytes, 0);
}

/// Whether all ranks must be recorded, since one rank's calls do not determine those of all.
bool ranks_are_recorded(const Choice& choice) {
  const auto method = make_method(choice, run());
  return method->recording().ends_alone &&
         !(method->leaves_mean() && method->recording().ranks_are_alike);
}

TEST(ReplayedRanks, CallWhatTheRealMethodCallsOnEveryRankInEveryIteration) {
  std::set<std::string> names;
  for (const auto& choice : every_arm()) {
    if (!ranks_are_recorded(choice)) continue;
    names.insert(choice.name);
    expect_replay_of(choice, 5);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"hierarchical", "tree", "parameter-server", "zen",
                                              "local-sgd", "diloco", "prunex", "zeroth-order"}));
}

TEST(ReplayedRanks, CallWhatTeamsCall) {
  for (const auto& choice : arms_of_even_ranks()) expect_replay_of(choice, 4);
}

TEST(ReplayedRanks, AskForAsManyLossesAsTheMethodDoes) {
  const auto exchanges =
      recorded(choice("zeroth-order", {{"directions", 3}, {"difference", "forward"}}), 2, 1, 4);
  EXPECT_EQ(exchanges.iteration_of(1, 1).losses, 4) << "along three directions, and here";
  EXPECT_FALSE(make_replayed(exchanges, 0)->needs_gradients());
}

TEST(RanksInTurn, WorkOneAfterTheOther) {
  constexpr std::int64_t kWorkNs = 5'000'000;
  RanksInTurn turns{3};
  const auto recorded = turns.run([](int, Group& group) -> Task<> {
    const auto work = [] {
      const auto end_ns = monotonic_ns() + kWorkNs;
      while (monotonic_ns() < end_ns) {
      }
    };
    work();
    const auto values = at::ones({4});
    co_await group.all_reduce(values);
    EXPECT_EQ(values[0].item<float>(), 3);
    work();
  });
  for (std::size_t rank = 0; rank < recorded.size(); ++rank) {
    const auto& trace = recorded[rank].trace;
    const auto& call = trace.collectives.at(0);
    EXPECT_GE(call.ready_ns - trace.exchange.start_ns, kWorkNs);
    EXPECT_GE(trace.exchange.end_ns - call.wire.end_ns, kWorkNs);
    if (rank == 0) continue;
    const auto& before = recorded[rank - 1].trace;
    EXPECT_GE(trace.exchange.start_ns, before.collectives.at(0).ready_ns);
    EXPECT_GE(call.wire.end_ns, before.exchange.end_ns) << "goes on when the one before has ended";
  }
}

TEST(RanksInTurn, WriteDownWhoTakesPartAndWhatGoesWhere) {
  RanksInTurn turns{3};
  const auto recorded = turns.run([](int rank, Group& group) -> Task<> {
    const std::vector<int> some{1, 2};
    auto inside = group.sub_group(some);
    const auto values = at::ones({4});
    co_await inside.broadcast(values, 1);
    const auto sent = at::ones({rank == 0 ? 2 : 0});
    co_await group.send_receive(sent, rank == 0 ? 2 : rank, rank == 2 ? 0 : rank,
                                rank == 2 ? 2 : 0);
  });
  for (const auto& rank : recorded) {
    ASSERT_EQ(rank.calls.size(), 2U);
    EXPECT_EQ(rank.calls[0].ranks, (std::vector<int>{1, 2}));
    EXPECT_TRUE(rank.calls[1].ranks.empty()) << "all";
  }
  EXPECT_EQ(recorded[0].calls[0].elements, 0) << "is outside";
  EXPECT_EQ(recorded[1].calls[0].root, 1);
  EXPECT_EQ(recorded[0].calls[1].send_counts, (std::vector<std::int64_t>{0, 0, 2}));
  EXPECT_EQ(recorded[2].calls[1].receive_counts, (std::vector<std::int64_t>{2, 0, 0}));
}

TEST(RanksInTurn, ThrowWhatOneOfThemThrows) {
  const auto second_gives_up = [](int rank, Group& group) -> Task<> {
    if (rank == 1) throw std::runtime_error{"the second gives up"};
    const auto values = at::ones({4});
    co_await group.all_reduce(values);
  };
  EXPECT_THAT([&] { RanksInTurn{3}.run(second_gives_up); },
              ThrowsMessage<std::runtime_error>("the second gives up"));
}

TEST(RanksInTurn, FailWhenOneOfThemLeavesOutACallForWhichOthersWait) {
  const auto second_leaves_one_out = [](int rank, Group& group) -> Task<> {
    const auto values = at::ones({4});
    co_await group.all_reduce(values);
    if (rank != 1) co_await group.barrier();
  };
  EXPECT_THAT([&] { RanksInTurn{3}.run(second_leaves_one_out); },
              ThrowsMessage<std::logic_error>(
                  HasSubstr("rank 1 has ended without call 2, rank 2 waits in call 2 (barrier)")));
}

TEST(RanksInTurn, FailWhenTheyWaitForEachOtherInDifferentGroups) {
  const auto first_sums_before = [](int rank, Group& group) -> Task<> {
    const std::vector<int> some{0, 1};
    auto inside = group.sub_group(some);
    const auto values = at::ones({4});
    if (rank == 0) co_await inside.all_reduce(values);
    co_await group.barrier();
  };
  EXPECT_THAT([&] { RanksInTurn{3}.run(first_sums_before); },
              ThrowsMessage<std::logic_error>(HasSubstr(
                  "rank 0 waits in call 1 (all_reduce), rank 1 waits in call 1 (barrier)")));
}

}  // namespace
}  // namespace pacbench::trainer::test::replayed_ranks_test
