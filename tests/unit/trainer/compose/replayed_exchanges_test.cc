// A replayed method calls what the real one calls, on every rank.
#include "trainer/compose/replayed_exchanges.h"
#include "contract/catalogue/choice_json.h"

#include <gtest/gtest.h>

#include "tests/unit/trainer/arms.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "tests/unit/trainer/print_method.h"
#include "trainer/compose/settled_exchanges.h"

namespace pacbench::trainer::test {
namespace {

constexpr int kReplayRanks = 5;
const Layout kLayout = layout_of({{40, 8}, {61}, {25, 5}});

/// The trace of the buckets and, as in every profile, of the calls after all buckets.
std::vector<BucketTrace> whole_trace(ExchangeEngine& engine) {
  auto trace = engine.trace();
  if (trace.size() == kLayout.size()) trace.emplace_back().index = ExchangeEngine::kBeside;
  return trace;
}

TEST(ReplayedExchanges, AreTheCallsAndBytesOfTheRealMethodOnEveryRank) {
  for (const auto& method : every_arm()) {
    SCOPED_TRACE(::testing::PrintToString(method));
    const auto one = make_method(method);
    // For other methods all ranks are recorded (replayed_ranks_test.cc).
    if (!one->leaves_mean() || !one->recording().ranks_are_alike) continue;
    ThreadRanks real{kReplayRanks, kLayout, [&] { return make_method(method); }};
    for (int iteration = 0; iteration < 4; ++iteration) {
      real.exchange(integer_gradients(kLayout, kReplayRanks, 20, 1));
    }
    auto exchanges = settled_exchanges({whole_trace(real.engine(0))});
    ThreadRanks replayed{kReplayRanks, kLayout, [&] { return make_replayed(exchanges, 0); }};
    const auto untouched = integer_gradients(kLayout, kReplayRanks, 20, 2);
    for (int iteration = 0; iteration < 2; ++iteration) {
      EXPECT_TRUE(equal_bits(replayed.exchange(untouched)[0], untouched[0]));
    }
    for (int rank = 0; rank < kReplayRanks; ++rank) {
      SCOPED_TRACE(rank);
      auto& engine = real.engine(rank);
      EXPECT_EQ(calls_of(whole_trace(replayed.engine(rank))), calls_of(whole_trace(engine)));
      EXPECT_EQ(replayed.engine(rank).expected_sent_bytes(), engine.expected_sent_bytes());
    }
  }
}

/// Exchanges with one all-reduce of float16 for each bucket, after 3 ms of work and before 2 ms.
MethodExchanges one_sum() {
  MethodExchanges exchanges;
  exchanges.workers = kReplayRanks;
  for (const auto& bucket : kLayout) {
    exchanges.buckets.push_back({bucket.elements, {{3, "all_reduce", "float16", 10, 20}}, 2});
  }
  return exchanges;
}

TEST(ReplayedExchanges, WorkBeforeAndAfterTheirCollectives) {
  ThreadRanks ranks{2, kLayout, [] { return make_replayed(one_sum(), 2); }};
  ranks.exchange(integer_gradients(kLayout, 2, 20, 1));
  const auto trace = ranks.engine(0).trace();
  const auto& call = trace[0].collectives.at(0);
  EXPECT_GE(call.ready_ns - trace[0].exchange.start_ns, 6'000'000) << "3 ms at factor 2";
  EXPECT_GE(trace[0].exchange.end_ns - call.wire.end_ns, 4'000'000);
}

/// Rank 0 of 128 equal ranks. Notes whether every sum was finite and no element of a sum was below
/// float16's smallest normal number.
class Watching final : public Backend {
 public:
  int rank() const override { return 0; }
  int size() const override { return 128; }
  void start(const Collective& call, Completion done) override {
    auto sum = call.input;
    sum.mul_(size());
    finite = finite && at::isfinite(sum).all().item<bool>();
    normal = normal && sum.ge(0x1p-14).all().item<bool>();
    done(nullptr);
  }
  std::shared_ptr<Backend> sub_group(const std::vector<int>&) override { return nullptr; }
  bool finite = true;
  bool normal = true;
};

TEST(ReplayedExchanges, AddFiniteNormalNumbersHoweverOften) {
  const auto backend = std::make_shared<Watching>();
  ThreadRanks ranks{{backend}, kLayout, [] { return make_replayed(one_sum(), 0); }};
  for (int iteration = 0; iteration < 20; ++iteration) {
    ranks.exchange(integer_gradients(kLayout, 1, 20, iteration));
  }
  EXPECT_TRUE(backend->finite);
  EXPECT_TRUE(backend->normal);
}

TEST(ReplayedExchanges, TakeTheWholeModelAsOneBucketWhereTheMethodDid) {
  auto exchanges = one_sum();
  EXPECT_EQ(make_replayed(exchanges, 1)->scope(), Method::Scope::kBucket);
  exchanges.buckets.resize(1);
  EXPECT_EQ(make_replayed(exchanges, 1)->scope(), Method::Scope::kModel);
}

TEST(ReplayedExchanges, AreThoseOfTheWorkersOwnMethod) {
  WorkerSpec spec;
  spec.workers = kReplayRanks;
  spec.method = choice("topk", {{"ratio", 0.1}});
  spec.compose.emplace();
  auto entry = one_sum();
  entry.method = choice_to_json(spec.method);
  spec.compose->profile.exchanges = {entry};
  EXPECT_NE(make_replayed(spec), nullptr);
  spec.method = choice("topk", {{"ratio", 0.01}});
  EXPECT_THROW(make_replayed(spec), ConfigError);
}

}  // namespace
}  // namespace pacbench::trainer::test
