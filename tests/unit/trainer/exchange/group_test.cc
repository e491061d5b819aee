// The order of calls, what is counted of them, those beside buckets, and failures. What calls give
// is tested by Gloo.GivesWhatThreadsGiveForEveryCollective and by the means of methods.
#include "trainer/collectives/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::group_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ThrowsMessage;

using Calls = std::vector<PlannedCollective>;

/// An averager that runs a test's own body. It declares calls, or nothing where it is given none.
class Scripted final : public Averager {
 public:
  using Body = std::function<Task<>(Bucket&, Group&)>;
  Scripted(Body body, Calls declared) : body_{std::move(body)}, declared_{std::move(declared)} {}
  Declares declares() const override {
    return declared_.empty() ? Declares::kNothing : Declares::kBefore;
  }
  Calls traffic(const BucketLayout&, const Step&) const override { return declared_; }
  Task<> average(Bucket& bucket, Group& group) override { return body_(bucket, group); }

 private:
  Body body_;
  Calls declared_;
};

ThreadRanks scripted(int size, const Layout& layout, const Scripted::Body& body,
                     const Calls& declared = {}) {
  return ThreadRanks{size, layout, [=] { return averaged_by<Scripted>(body, declared); }};
}

Task<> sum_bucket(Bucket& bucket, Group& group) { co_await group.all_reduce(bucket.mean); }

TEST(Group, CallsAreCountedWithTheBytesTheyMakeARankSend) {
  auto ranks = scripted(4, layout_of({{100}}), sum_bucket);
  ranks.exchange(ranks.gradients(5, 1));
  const auto call = ranks.calls(2).front();
  EXPECT_EQ(call.op, "all_reduce");
  EXPECT_EQ(call.payload_bytes, 400);
  EXPECT_EQ(call.sent_bytes, 2 * 3 * 400 / 4);
  EXPECT_LE(call.ready_ns, call.wire.start_ns);
  EXPECT_LE(call.wire.start_ns, call.wire.end_ns);
}

TEST(Order, RanksThatAreDelayedAtRandomIssueTheSameSequence) {
  const auto two_stages_with_delays = [](Bucket& bucket, Group& group) -> Task<> {
    std::minstd_rand random{static_cast<unsigned>(group.rank() * 100 + bucket.layout.index + 1)};
    const auto pause = [&] {
      std::this_thread::sleep_for(std::chrono::microseconds{random() % 3000});
    };
    pause();
    co_await group.all_reduce(bucket.mean);
    pause();
    // Some buckets need a second collective, of another type and size.
    if (bucket.layout.index % 2 == 0) {
      const auto extra = at::ones({bucket.layout.index + 1}, at::kInt);
      co_await group.all_reduce(extra);
    }
  };
  auto ranks = scripted(4, layout_of({{5}, {7}, {3}, {11}, {2}}), two_stages_with_delays);
  const auto gradients = ranks.gradients(9, 2);
  for (int iteration = 0; iteration < 5; ++iteration) {
    EXPECT_TRUE(
        at::equal(at::cat(ranks.exchange(gradients)[3]), at::cat(dense_means(gradients)).mul(4)));
  }
  EXPECT_EQ(ranks.issued(0).size(), 5U * (5 + 3));
  for (int rank = 1; rank < 4; ++rank) EXPECT_EQ(ranks.issued(rank), ranks.issued(0));
}

TEST(Order, CollectivesBesideTheBucketsFollowEachOtherWithoutARace) {
  auto ranks = scripted(4, layout_of({{1}}), sum_bucket);
  ranks.on_all_ranks([&](std::size_t rank) {
    for (int round = 0; round < 50; ++round) {
      auto value = at::ones({1});
      ranks.engine(static_cast<int>(rank)).run([&](Group& group) -> Task<> {
        for (int i = 0; i < 20; ++i) {
          co_await group.all_reduce(value, Reduction::kMax);
          value.add_(1);
        }
      });
      EXPECT_EQ(value.item<float>(), 21);
    }
  });
  EXPECT_EQ(ranks.issued(2).size(), 50U * 20);
}

/// An averager that makes calls after all buckets.
class CallsBehindBuckets final : public Averager {
 public:
  std::vector<PlannedCollective> traffic(const BucketLayout&, const Step&) const override {
    return {};
  }
  Task<> average(Bucket&, Group&) override { co_return; }
  std::vector<PlannedCollective> finish_traffic() const override {
    return {{CollectiveKind::kAllReduce, 40}};
  }
  Task<> finish_iteration(Group& group) override {
    const auto ten = at::ones({10});
    co_await group.all_reduce(ten);
  }
};

/// A method that makes calls in place of the optimiser's step too, and after it.
class WorksBesideBuckets final : public Method {
 public:
  WorksBesideBuckets() : Method{std::make_unique<CallsBehindBuckets>()} {}
  std::vector<PlannedCollective> step_traffic(const Layout&, const Step&) const override {
    return {{CollectiveKind::kAllReduce, 8}};
  }
  Task<bool> optimizer_step(OptimizerView& view, Group& group) override {
    const auto two = at::ones({2});
    co_await group.all_reduce(two);
    view.parameters[0].sub_(two[0]);
    co_return true;
  }
  std::vector<PlannedCollective> weights_traffic(const Layout&, const Step&) const override {
    return {{CollectiveKind::kAllReduce, 12}};
  }
  Task<> step_finished(OptimizerView& view, Group& group) override {
    co_await group.all_reduce(view.parameters[0]);
  }
};

TEST(Method, WhatItCallsBesideTheBucketsIsTracedAndExpected) {
  ThreadRanks ranks{2, layout_of({{4}}), [] { return std::make_unique<WorksBesideBuckets>(); }};
  ranks.exchange(ranks.gradients(1, 1));
  ranks.on_all_ranks([&](std::size_t rank) {
    auto& engine = ranks.engine(static_cast<int>(rank));
    std::vector<at::Tensor> parameters{at::zeros({3})};
    std::vector<at::Tensor> gradients;
    OptimizerView view{parameters, gradients};
    EXPECT_TRUE(engine.optimizer_step(view));
    EXPECT_EQ(parameters[0][2].item<float>(), -2);
    engine.step_finished(view);
    EXPECT_EQ(parameters[0][2].item<float>(), -4);
  });
  const auto trace = ranks.engine(0).trace();
  EXPECT_EQ(trace.back().index, ExchangeEngine::kBeside);
  ASSERT_EQ(trace.back().collectives.size(), 3U);
  EXPECT_EQ(ranks.engine(0).expected_sent_bytes(), 40 + 8 + 12);
}

TEST(Method, ThatDeclaresOtherTrafficThanItCallsFailsWithBoth) {
  const auto declaring = [](std::int64_t bytes) {
    return [declared = Calls{{CollectiveKind::kAllReduce, bytes}}] {
      auto ranks = scripted(2, layout_of({{4}}), sum_bucket, declared);
      ranks.exchange(ranks.gradients(1, 1));
    };
  };
  EXPECT_NO_THROW(declaring(16)());
  EXPECT_THAT(declaring(32),
              ThrowsMessage<std::logic_error>(ContainsRegex("bucket 0.*32 bytes.*16 bytes")));
}

TEST(Failure, OneRankThatThrowsFailsTheOthersInsteadOfHangingThem) {
  const auto rank_two_breaks = [](Bucket& bucket, Group& group) -> Task<> {
    co_await group.all_reduce(bucket.mean);
    if (group.rank() == 2) throw std::runtime_error{"this rank is broken"};
    co_await group.all_reduce(bucket.mean);
  };
  for (int round = 0; round < 20; ++round) {
    auto ranks = scripted(4, layout_of({{2}, {2}, {2}}), rank_two_breaks);
    EXPECT_THROW(ranks.exchange(ranks.gradients(1, 3)), std::runtime_error);
    for (const auto& rank : ranks.failures()) {
      for (const auto& bucket : rank) EXPECT_TRUE(bucket) << "also where it waits for another one";
    }
    EXPECT_THROW(std::rethrow_exception(ranks.failures()[1][0]), PeerFailed);
    EXPECT_EQ(message_of(ranks.failures()[2][0]), "this rank is broken");
  }
}

TEST(Failure, RanksThatCallDifferentThingsAllFailWithBothNames) {
  const auto rank_one_differs = [](Bucket& bucket, Group& group) -> Task<> {
    if (group.rank() == 1) {
      co_await group.all_gather(bucket.mean);
    } else {
      co_await group.all_reduce(bucket.mean);
    }
  };
  auto ranks = scripted(3, layout_of({{4}}), rank_one_differs);
  EXPECT_THAT([&] { ranks.exchange(ranks.gradients(1, 3)); },
              ThrowsMessage<std::runtime_error>(ContainsRegex("all_reduce.*all_gather")));
  for (const auto& rank : ranks.failures()) EXPECT_TRUE(rank[0]);
}

TEST(Failure, ReachesASubGroupThatIsMadeAfterwards) {
  const auto ranks = make_thread_group(3);
  ranks[0]->abort(std::make_exception_ptr(std::runtime_error{"rank 0 fails"}));
  const auto pair = ranks[1]->sub_group({1, 2});
  Collective call;
  call.kind = CollectiveKind::kAllReduce;
  call.input = at::zeros({1});
  std::exception_ptr failure;
  pair->start(call, [&](std::exception_ptr found) { failure = std::move(found); });
  EXPECT_TRUE(failure) << "the other member may never call";
}

}  // namespace
}  // namespace pacbench::trainer::test::group_test
