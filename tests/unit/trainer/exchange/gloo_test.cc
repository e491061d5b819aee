// Compares calls over Gloo on loopback with the same calls over threads of this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "tests/unit/trainer/exchange/gloo_ranks.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/collectives/real_time.h"

namespace pacbench::trainer::test::gloo_test {
namespace {

using ::testing::Each;

constexpr int kGlooRanks = 3;

/// Calls every collective at least once, and leaves their results in the gradient.
class EveryCollective final : public Undeclared {
 public:
  Task<> average(Bucket& bucket, Group& group) override {
    auto& gradient = bucket.mean;
    const auto own = gradient.clone();
    co_await group.all_reduce(gradient, Reduction::kMax);
    const auto all = co_await group.all_gather(own);
    gradient.add_(all.sum());
    const auto short_part = own.narrow(0, 0, group.rank() + 1);
    const std::vector<std::int64_t> sizes{1, 2, 3};
    const auto parts = co_await group.all_gather_sized(short_part, sizes);
    gradient.add_(parts.sum());
    const auto share = co_await group.reduce_scatter(own);
    gradient.narrow(0, 0, share.numel()).add_(share);
    const int next = (group.rank() + 1) % group.size();
    const int previous = (group.rank() + group.size() - 1) % group.size();
    const auto shifted = co_await group.send_receive(own, next, previous, own.numel());
    gradient.add_(shifted);
    // Rank 2 sends to rank 0 alone, and rank 1 keeps what it has.
    const auto part = own.narrow(0, 0, group.rank() == 1 ? 3 : group.rank());
    const int to = group.rank() == 1 ? 1 : 0;
    const int from = group.rank() == 0 ? 2 : group.rank();
    const std::int64_t expected = group.rank() == 0 ? 2 : group.rank() == 1 ? 3 : 0;
    const auto received = co_await group.send_receive(part, to, from, expected);
    gradient.narrow(0, 0, received.numel()).add_(received);
    auto root_values = own.clone();
    co_await group.broadcast(root_values, 1);
    gradient.add_(root_values);
    const auto bits = own.abs().to(at::kByte);
    co_await group.all_reduce(bits, Reduction::kBitOr);
    gradient.add_(bits);
    for (const auto type : {at::kHalf, at::kBFloat16, at::kChar}) {
      auto narrow = own.to(type);
      co_await group.all_reduce(narrow);
      gradient.add_(narrow);
    }
    const std::vector<int> two{0, 2};
    auto team = group.sub_group(two);
    auto team_sum = own.clone();
    co_await team.all_reduce(team_sum);
    gradient.add_(team_sum);
    co_await group.barrier();
  }
};

TEST(Gloo, GivesWhatThreadsGiveForEveryCollective) {
  const GlooRanks gloo{kGlooRanks};
  const auto layout = layout_of({{11}, {5}, {8}});
  const auto make = [] { return averaged_by<EveryCollective>(); };
  ThreadRanks over_gloo{gloo.backends(), layout, make};
  ThreadRanks over_threads{kGlooRanks, layout, make};
  for (int iteration = 0; iteration < 3; ++iteration) {
    const auto gradients = integer_gradients(layout, kGlooRanks, 40, iteration);
    const auto found = over_gloo.exchange(gradients);
    const auto expected = over_threads.exchange(gradients);
    for (std::size_t rank = 0; rank < kGlooRanks; ++rank) {
      EXPECT_TRUE(equal_bits(found[rank], expected[rank])) << "rank " << rank;
    }
  }
}

Collective send_receive(const at::Tensor& input, std::vector<std::int64_t> send_counts,
                        std::vector<std::int64_t> receive_counts) {
  Collective call;
  call.kind = CollectiveKind::kSendReceive;
  call.input = input;
  std::int64_t received = 0;
  for (const auto count : receive_counts) received += count;
  call.output = at::zeros({received});
  call.send_counts = std::move(send_counts);
  call.receive_counts = std::move(receive_counts);
  return call;
}

/// Starts a call, and returns the failure with which it will end.
std::future<std::exception_ptr> started(Backend& backend, const Collective& call) {
  const auto ended = std::make_shared<std::promise<std::exception_ptr>>();
  backend.start(call, [ended](std::exception_ptr failure) { ended->set_value(failure); });
  return ended->get_future();
}

TEST(Gloo, ASendReceiveOfTwoRanksDoesNotWaitForTheThird) {
  const GlooRanks gloo{kGlooRanks};
  const auto backends = gloo.backends();
  const auto received = send_receive(at::empty({0}), {0, 0, 0}, {4, 0, 0});
  auto sender = started(*backends[0], send_receive(at::full({4}, 7.0F), {0, 0, 4}, {0, 0, 0}));
  EXPECT_EQ(started(*backends[2], received).get(), nullptr);
  EXPECT_EQ(sender.get(), nullptr);
  EXPECT_TRUE(at::equal(received.output, at::full({4}, 7.0F)));
}

TEST(Gloo, ACallThatOthersNeverJoinFailsByItsTimeout) {
  const auto send = send_receive(at::empty({0}), {0, 0, 0}, {0, 4, 0});
  Collective sum;
  sum.kind = CollectiveKind::kAllReduce;
  sum.input = at::ones({1 << 20});
  for (const auto& call : {send, sum}) {
    const GlooRanks gloo{kGlooRanks, std::chrono::seconds{1}};
    auto failure = started(*gloo.backends()[0], call);
    ASSERT_EQ(failure.wait_for(std::chrono::seconds{20}), std::future_status::ready);
    EXPECT_NE(failure.get(), nullptr);
  }
}

/// Ranks whose threads are in the real-time class; null where that is not allowed.
std::unique_ptr<GlooRanks> in_real_time() {
  const RealTimeScope scope{RealTimeScope::kExchangePriority};
  return scope.active() ? std::make_unique<GlooRanks>(kGlooRanks) : nullptr;
}

/// The kernel's scheduling classes of Gloo's threads in this process.
std::vector<int> classes_of_gloo_threads() {
  std::vector<int> classes;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::ifstream name{task.path() / "comm"};
    std::string comm;
    name >> comm;
    if (comm.rfind("pt_gloo", 0) != 0) continue;
    classes.push_back(::sched_getscheduler(std::stoi(task.path().filename())));
  }
  return classes;
}

TEST(Gloo, ThreadsOfASubGroupAreInTheGroupsRealTimeClassThoughTheCallerHasLeftIt) {
  const auto gloo = in_real_time();
  if (!gloo) GTEST_SKIP() << "no real-time class is allowed here";
  const auto backends = gloo->backends();
  const auto before = classes_of_gloo_threads().size();
  auto other = std::async(std::launch::async, [&] { return backends[2]->sub_group({0, 2}); });
  const auto team = backends[0]->sub_group({0, 2});
  other.get();
  const auto classes = classes_of_gloo_threads();
  EXPECT_GT(classes.size(), before);
  EXPECT_THAT(classes, Each(SCHED_RR));
}

/// Pins this thread, and the threads that it starts meanwhile, to its present core.
class OnOneCore {
 public:
  OnOneCore() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;
  ~OnOneCore() { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

constexpr int kLowerPriority = RealTimeScope::kExchangePriority - 1;

/// Sends to the next rank and receives from the previous rank, many times, at a lower priority.
void send_round(Backend& backend, int rank) {
  const RealTimeScope scope{kLowerPriority};
  constexpr std::int64_t kElements = 50'000;
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<std::int64_t> to(kGlooRanks);
    std::vector<std::int64_t> from(kGlooRanks);
    to[static_cast<std::size_t>((rank + 1) % kGlooRanks)] = kElements;
    from[static_cast<std::size_t>((rank + kGlooRanks - 1) % kGlooRanks)] = kElements;
    const auto failure = started(backend, send_receive(at::ones({kElements}), to, from)).get();
    if (failure) std::rethrow_exception(failure);
  }
}

TEST(Gloo, SendReceivesEndOnOneCoreThoughTheirCallersHaveALowerPriority) {
  const OnOneCore core;
  const auto gloo = in_real_time();
  if (!gloo) GTEST_SKIP() << "no real-time class is allowed here";
  std::vector<std::future<void>> ranks;
  for (int rank = 0; rank < kGlooRanks; ++rank) {
    ranks.push_back(std::async(std::launch::async, [&, rank] {
      send_round(*gloo->backends()[static_cast<std::size_t>(rank)], rank);
    }));
  }
  for (auto& each : ranks) EXPECT_NO_THROW(each.get());
}

}  // namespace
}  // namespace pacbench::trainer::test::gloo_test
