#include "trainer/collectives/own_core.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/unit/base/dilated.h"
#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::own_core_test {
namespace {

constexpr std::int64_t kComputingNs = 20'000'000;
constexpr double kComputing = kComputingNs;

/// Keeps the calling thread busy for some CPU time.
void compute(std::int64_t cpu_ns) {
  const auto used_ns = [] {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1'000'000'000 + used.tv_nsec;
  };
  for (const auto until_ns = used_ns() + cpu_ns; used_ns() < until_ns;) {
  }
}

/// The emulated time that a piece of kComputingNs takes: the least of five tries, so that a host
/// which pauses now and then does not change it.
double piece_ns(double factor = 1) {
  auto least_ns = std::int64_t{1} << 62;
  for (int attempt = 0; attempt < 5; ++attempt) {
    auto& core = OwnCore::of_this_thread();
    core.begin();
    const auto began_ns = emulated_ns();
    compute(kComputingNs);
    core.catch_up(factor);
    least_ns = std::min(least_ns, emulated_ns() - began_ns);
  }
  return static_cast<double>(least_ns);
}

TEST(OwnCore, AtFullSpeedWaitsForASlowerWorkerAlone) {
  EXPECT_LT(piece_ns(), 1.25 * kComputing);
  EXPECT_GE(piece_ns(3), 3 * kComputing);
  EXPECT_LT(piece_ns(3), 4 * kComputing);
}

TEST(OwnCore, GivesAPieceItsCpuTimeInEmulatedTime) {
  for (const int factor : {4, 8}) {
    const testing::Dilated dilated{factor};
    EXPECT_NEAR(piece_ns(), kComputing, kComputing * 0.05) << factor;
    EXPECT_NEAR(piece_ns(3), 3 * kComputing, kComputing * 0.15) << factor;
  }
}

TEST(OwnCore, TakesAsLongWhereThreadsShareTheCpus) {
  const testing::Dilated dilated{8};
  const auto threads = 3 * std::thread::hardware_concurrency();
  std::vector<double> lengths_ns(threads);
  {
    std::vector<std::jthread> running;
    for (auto& length_ns : lengths_ns) {
      running.emplace_back([&length_ns] { length_ns = piece_ns(); });
    }
  }
  // The CPU time of a busy machine is a little more than asked for.
  for (const auto length_ns : lengths_ns) EXPECT_NEAR(length_ns, kComputing, kComputing * 0.1);
}

TEST(OwnCore, SaysWhenItGotTooLittleOfTheCpus) {
  const testing::Dilated dilated{2};
  OwnCore::take_late();
  auto& core = OwnCore::of_this_thread();
  core.begin();
  const auto began_ns = emulated_ns();
  compute(kComputingNs);
  std::this_thread::sleep_for(std::chrono::nanoseconds{3 * kComputingNs});  // as if others had them
  core.catch_up();
  const auto late = OwnCore::take_late();
  ASSERT_EQ(late.size(), 1U);
  EXPECT_NEAR(static_cast<double>(late[0].start_ns - began_ns), kComputing, kComputing * 0.2);
  EXPECT_GE(late[0].end_ns - began_ns, 2 * kComputingNs);
  compute(kComputingNs);
  core.catch_up();
  EXPECT_TRUE(OwnCore::take_late().empty()) << "the next piece is less late, and is no new delay";
}

TEST(OwnCore, MakesUpInTheNextPieceWhatOneWasLate) {
  const testing::Dilated dilated{4};
  OwnCore::take_late();
  auto& core = OwnCore::of_this_thread();
  double both_ns = 1e18;
  for (int attempt = 0; attempt < 5; ++attempt) {
    core.begin();
    const auto began_ns = emulated_ns();
    compute(kComputingNs);
    std::this_thread::sleep_for(std::chrono::nanoseconds{4 * kComputingNs});
    core.go_on();
    compute(kComputingNs);
    core.catch_up();
    both_ns = std::min(both_ns, static_cast<double>(emulated_ns() - began_ns));
  }
  EXPECT_NEAR(both_ns, 2 * kComputing, 0.1 * kComputing);
}

/// Computes before its all-reduce and after it, as encoding and decoding do.
class Computing final : public test::Undeclared {
 public:
  Task<> average(Bucket& bucket, Group& group) override {
    compute(kComputingNs);
    co_await group.all_reduce(bucket.mean);
    compute(kComputingNs);
  }
};

TEST(OwnCore, IsWhatEncodesAndDecodesABucket) {
  const testing::Dilated dilated{8};
  const auto make = [] { return test::averaged_by<Computing>(); };
  test::ThreadRanks ranks{2, test::layout_of({{4}}), make};
  // How long encoding and decoding take at least.
  const auto measured = [&] {
    std::pair<double, double> least{1e18, 1e18};
    for (int attempt = 0; attempt < 5; ++attempt) {
      ranks.exchange(ranks.gradients(3, 1));
      const auto trace = ranks.engine(0).trace().front();
      const auto& call = trace.collectives.front();
      const auto encode_ns = call.ready_ns - trace.exchange.start_ns;
      const auto decode_ns = trace.exchange.end_ns - call.wire.end_ns;
      least.first = std::min(least.first, static_cast<double>(encode_ns));
      least.second = std::min(least.second, static_cast<double>(decode_ns));
    }
    return least;
  };
  const auto [encode_ns, decode_ns] = measured();
  EXPECT_NEAR(encode_ns, kComputing, kComputing * 0.1);
  EXPECT_NEAR(decode_ns, kComputing, kComputing * 0.1);
  for (int rank = 0; rank < 2; ++rank) ranks.engine(rank).encode_at(4);
  EXPECT_NEAR(measured().first, kComputing / 4, kComputing * 0.05);
}

}  // namespace
}  // namespace pacbench::trainer::own_core_test
