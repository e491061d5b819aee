#include "trainer/collectives/group.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::group_test {
namespace {

/// An averager that runs a test's own body.
class Scripted final : public Undeclared {
 public:
  using Body = std::function<Task<>(Bucket&, Group&)>;
  explicit Scripted(Body body) : body_{std::move(body)} {}
  Task<> average(Bucket& bucket, Group& group) override { return body_(bucket, group); }

 private:
  Body body_;
};

/// Runs `body` on `size` ranks with one bucket of `elements` elements, each of which starts as the
/// rank's number.
Gradients run(int size, std::int64_t elements, const Scripted::Body& body) {
  const auto layout = layout_of({{elements}});
  ThreadRanks ranks{size, layout, [&] { return averaged_by<Scripted>(body); }};
  Gradients gradients;
  for (int rank = 0; rank < size; ++rank)
    gradients.push_back({at::full({elements}, static_cast<float>(rank))});
  return ranks.exchange(gradients);
}

std::vector<float> values(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), tensor.data_ptr<float>() + tensor.numel()};
}

TEST(Group, AllReduceSumsOverAllRanks) {
  const auto sums = run(
      4, 3, [](Bucket& bucket, Group& group) -> Task<> { co_await group.all_reduce(bucket.mean); });
  for (const auto& rank : sums) EXPECT_EQ(values(rank[0]), (std::vector<float>{6, 6, 6}));
}

TEST(Group, AllReduceTakesTheLargestOrTheBitwiseOr) {
  run(4, 2, [](Bucket& bucket, Group& group) -> Task<> {
    auto largest = co_await group.all_reduce(bucket.mean, Reduction::kMax);
    EXPECT_EQ(largest[0].item<float>(), 3);
    const auto bits = at::full({2}, 1 << group.rank(), at::kByte);
    const auto joined = co_await group.all_reduce(bits, Reduction::kBitOr);
    EXPECT_EQ(joined[1].item<int>(), 15);
  });
}

TEST(Group, AllGatherPutsRanksOneAfterAnother) {
  run(3, 2, [](Bucket& bucket, Group& group) -> Task<> {
    const auto all = co_await group.all_gather(bucket.mean);
    EXPECT_EQ(values(all), (std::vector<float>{0, 0, 1, 1, 2, 2}));
  });
}

TEST(Group, AllGatherTakesADifferentSizeFromEachRank) {
  run(3, 4, [](Bucket& bucket, Group& group) -> Task<> {
    const auto own = bucket.mean.narrow(0, 0, group.rank());
    const std::vector<std::int64_t> sizes{0, 1, 2};
    const auto all = co_await group.all_gather_sized(own, sizes);
    EXPECT_EQ(values(all), (std::vector<float>{1, 2, 2}));
  });
}

TEST(Group, ReduceScatterGivesEachRankItsShareOfTheSum) {
  run(3, 7, [](Bucket& bucket, Group& group) -> Task<> {
    const auto share = co_await group.reduce_scatter(bucket.mean);
    const auto begin = Group::chunk_begin(7, group.rank(), 3);
    const auto end = Group::chunk_begin(7, group.rank() + 1, 3);
    EXPECT_EQ(values(share), std::vector<float>(static_cast<std::size_t>(end - begin), 3));
  });
}

TEST(Group, SendReceiveShiftsAroundTheRing) {
  run(4, 2, [](Bucket& bucket, Group& group) -> Task<> {
    const int next = (group.rank() + 1) % 4;
    const int previous = (group.rank() + 3) % 4;
    const auto received = co_await group.send_receive(bucket.mean, next, previous, 2);
    EXPECT_EQ(received[0].item<int>(), previous);
  });
}

TEST(Group, BroadcastGivesTheRootsValues) {
  const auto all = run(4, 2, [](Bucket& bucket, Group& group) -> Task<> {
    co_await group.broadcast(bucket.mean, 2);
    co_await group.barrier();
  });
  for (const auto& rank : all) EXPECT_EQ(values(rank[0]), (std::vector<float>{2, 2}));
}

TEST(Group, ASubGroupLeavesTheOthersOutAndInTurn) {
  const auto all = run(4, 1, [](Bucket& bucket, Group& group) -> Task<> {
    const std::vector<int> site{1, 3};
    auto team = group.sub_group(site);
    co_await team.all_reduce(bucket.mean);
    co_await group.all_reduce(bucket.mean);
  });
  // Ranks 1 and 3 hold 4 after the first sum, ranks 0 and 2 their own numbers.
  for (const auto& rank : all) EXPECT_EQ(rank[0].item<float>(), 0 + 4 + 2 + 4);
}

TEST(Group, AnIterationWithoutExchangeIsAllowed) {
  const auto unchanged = run(3, 1, [](Bucket&, Group&) -> Task<> { co_return; });
  EXPECT_EQ(unchanged[2][0].item<float>(), 2);
}

TEST(Group, CallsAreCountedWithTheBytesTheyMakeARankSend) {
  const auto layout = layout_of({{100}});
  ThreadRanks ranks{4, layout, [] {
                      return averaged_by<Scripted>([](Bucket& bucket, Group& group) -> Task<> {
                        co_await group.all_reduce(bucket.mean);
                      });
                    }};
  ranks.exchange(integer_gradients(layout, 4, 5, 1));
  const auto call = ranks.engine(2).trace().front().collectives.front();
  EXPECT_EQ(call.op, "all_reduce");
  EXPECT_EQ(call.payload_bytes, 400);
  EXPECT_EQ(call.sent_bytes, 2 * 3 * 400 / 4);
  EXPECT_LE(call.ready_ns, call.wire.start_ns);
  EXPECT_LE(call.wire.start_ns, call.wire.end_ns);
}

TEST(Order, RanksThatAreDelayedAtRandomIssueTheSameSequence) {
  const auto layout = layout_of({{5}, {7}, {3}, {11}, {2}});
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
  ThreadRanks ranks{4, layout, [&] { return averaged_by<Scripted>(two_stages_with_delays); }};
  const auto gradients = integer_gradients(layout, 4, 9, 2);
  for (int iteration = 0; iteration < 5; ++iteration) {
    const auto sums = ranks.exchange(gradients);
    for (std::size_t bucket = 0; bucket < layout.size(); ++bucket) {
      EXPECT_TRUE(at::equal(sums[3][bucket], dense_mean(gradients, bucket).mul(4)));
    }
  }
  EXPECT_EQ(ranks.issued(0).size(), 5U * (5 + 3));
  for (int rank = 1; rank < 4; ++rank) EXPECT_EQ(ranks.issued(rank), ranks.issued(0));
}

TEST(Order, CollectivesBesideTheBucketsFollowEachOtherWithoutARace) {
  const auto layout = layout_of({{1}});
  const auto nothing = [](Bucket&, Group&) -> Task<> { co_return; };
  ThreadRanks ranks{4, layout, [&] { return averaged_by<Scripted>(nothing); }};
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < 4; ++rank) {
    threads.emplace_back([&ranks, rank] {
      for (int round = 0; round < 50; ++round) {
        auto value = at::ones({1});
        ranks.engine(rank).run([&](Group& group) -> Task<> {
          for (int i = 0; i < 20; ++i) {
            co_await group.all_reduce(value, Reduction::kMax);
            value.add_(1);
          }
        });
        EXPECT_EQ(value.item<float>(), 21);
      }
    });
  }
  threads.clear();
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
  const auto layout = layout_of({{4}});
  ThreadRanks ranks{2, layout, [] { return std::make_unique<WorksBesideBuckets>(); }};
  ranks.exchange(integer_gradients(layout, 2, 1, 1));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&ranks, rank] {
      std::vector<at::Tensor> parameters{at::zeros({3})};
      std::vector<at::Tensor> gradients;
      OptimizerView view{parameters, gradients};
      EXPECT_TRUE(ranks.engine(rank).optimizer_step(view));
      EXPECT_EQ(parameters[0][2].item<float>(), -2);
      ranks.engine(rank).step_finished(view);
      EXPECT_EQ(parameters[0][2].item<float>(), -4);
    });
  }
  threads.clear();
  const auto trace = ranks.engine(0).trace();
  EXPECT_EQ(trace.back().index, ExchangeEngine::kBeside);
  ASSERT_EQ(trace.back().collectives.size(), 3U);
  EXPECT_EQ(ranks.engine(0).expected_sent_bytes(), 40 + 8 + 12);
}

/// An averager that declares an all-reduce of `declared` bytes, and makes one of the whole bucket.
class DeclaresBytes final : public Averager {
 public:
  explicit DeclaresBytes(std::int64_t declared) : declared_{declared} {}
  std::vector<PlannedCollective> traffic(const BucketLayout&, const Step&) const override {
    return {{CollectiveKind::kAllReduce, declared_}};
  }
  Task<> average(Bucket& bucket, Group& group) override { co_await group.all_reduce(bucket.mean); }

 private:
  std::int64_t declared_;
};

std::string failure_of(std::int64_t declared) {
  const auto layout = layout_of({{4}});
  ThreadRanks ranks{2, layout, [=] { return averaged_by<DeclaresBytes>(declared); }};
  try {
    ranks.exchange(integer_gradients(layout, 2, 1, 1));
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(Method, ThatDeclaresOtherTrafficThanItCallsFailsWithBoth) {
  EXPECT_EQ(failure_of(16), "");
  const auto message = failure_of(32);
  EXPECT_NE(message.find("bucket 0"), std::string::npos) << message;
  EXPECT_NE(message.find("32 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("16 bytes"), std::string::npos) << message;
}

/// An averager with an all-reduce among the first two ranks.
class SumsInASite final : public Averager {
 public:
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    return {{CollectiveKind::kAllReduce, bucket.elements * 4, 0, {0, 1}}};
  }
  Task<> average(Bucket& bucket, Group& group) override {
    const std::vector<int> two{0, 1};
    auto site = group.sub_group(two);
    co_await site.all_reduce(bucket.mean);
  }
};

TEST(Method, DeclaresWhatASubGroupSendsForItsMembersAlone) {
  const auto layout = layout_of({{4}});
  ThreadRanks ranks{3, layout, [] { return averaged_by<SumsInASite>(); }};
  ranks.exchange(integer_gradients(layout, 3, 1, 1));
  EXPECT_EQ(ranks.engine(1).expected_sent_bytes(), 16);
  EXPECT_EQ(ranks.engine(2).expected_sent_bytes(), 0);
}

TEST(Failure, AnExceptionReachesEveryBucketThatStillWaits) {
  const auto layout = layout_of({{2}, {2}, {2}});
  const auto second_bucket_breaks = [](Bucket& bucket, Group& group) -> Task<> {
    if (bucket.layout.index == 1) throw std::runtime_error{"this bucket is broken"};
    co_await group.all_reduce(bucket.mean);
    co_await group.all_reduce(bucket.mean);
  };
  ThreadRanks ranks{2, layout, [&] { return averaged_by<Scripted>(second_bucket_breaks); }};
  EXPECT_THROW(ranks.exchange(integer_gradients(layout, 2, 1, 3)), std::runtime_error);
  for (const auto& rank : ranks.failures()) {
    for (const auto& bucket : rank) EXPECT_TRUE(bucket);
  }
}

TEST(Failure, OneRankThatThrowsFailsTheOthersInsteadOfHangingThem) {
  const auto layout = layout_of({{2}, {2}, {2}});
  const auto rank_two_breaks = [](Bucket& bucket, Group& group) -> Task<> {
    co_await group.all_reduce(bucket.mean);
    if (group.rank() == 2) throw std::runtime_error{"this rank is broken"};
    co_await group.all_reduce(bucket.mean);
  };
  for (int round = 0; round < 20; ++round) {
    ThreadRanks ranks{4, layout, [&] { return averaged_by<Scripted>(rank_two_breaks); }};
    EXPECT_THROW(ranks.exchange(integer_gradients(layout, 4, 1, 3)), std::runtime_error);
    for (const auto& rank : ranks.failures()) EXPECT_TRUE(rank[0]);
    EXPECT_THROW(std::rethrow_exception(ranks.failures()[1][0]), PeerFailed);
    try {
      std::rethrow_exception(ranks.failures()[2][0]);
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "this rank is broken");
    }
  }
}

TEST(Failure, RanksThatCallDifferentThingsAllFailWithBothNames) {
  const auto layout = layout_of({{4}});
  const auto rank_one_differs = [](Bucket& bucket, Group& group) -> Task<> {
    if (group.rank() == 1) {
      co_await group.all_gather(bucket.mean);
    } else {
      co_await group.all_reduce(bucket.mean);
    }
  };
  ThreadRanks ranks{3, layout, [&] { return averaged_by<Scripted>(rank_one_differs); }};
  try {
    ranks.exchange(integer_gradients(layout, 3, 1, 3));
    FAIL() << "a wrong order went unnoticed";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string{error.what()}.find("all_gather"), std::string::npos) << error.what();
    EXPECT_NE(std::string{error.what()}.find("all_reduce"), std::string::npos) << error.what();
  }
  for (const auto& rank : ranks.failures()) EXPECT_TRUE(rank[0]);
}

}  // namespace
}  // namespace pacbench::trainer::test::group_test
