#include "trainer/rank/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/unique_fd.h"
#include "tests/unit/trainer/exchange/gloo_ranks.h"
#include "trainer/rank/gradient_quality.h"

namespace pacbench::trainer::control_test {
namespace {

constexpr int kRanks = 4;

struct OverMemory {
  UniqueFd fd{check("memfd_create", ::memfd_create("page", 0))};

  std::unique_ptr<Control> of(int rank) const { return control_in_memory(fd.get(), rank, kRanks); }
};

struct OverTcp {
  std::vector<StorePtr> stores = test::tcp_stores(kRanks);

  std::unique_ptr<Control> of(int rank) const {
    return control_in_store(stores[static_cast<std::size_t>(rank)], rank, kRanks);
  }
};

template <typename Way>
class ControlTest : public ::testing::Test {
 protected:
  ControlTest() {
    for (int rank = 0; rank < kRanks; ++rank) controls.push_back(way.of(rank));
  }
  /// All ranks leave at the same time, as processes do, since rank 0 waits for the others.
  ~ControlTest() override {
    std::vector<std::jthread> leaving;
    for (auto& control : controls) leaving.emplace_back([&] { control.reset(); });
  }

  Way way;
  std::vector<std::unique_ptr<Control>> controls;
};

using Ways = ::testing::Types<OverMemory, OverTcp>;
TYPED_TEST_SUITE(ControlTest, Ways);

TYPED_TEST(ControlTest, NobodyPassesABarrierBeforeAllHaveCome) {
  std::atomic<int> arrived = 0;
  std::atomic<bool> early = false;
  std::vector<std::jthread> ranks;
  for (auto& control : this->controls) {
    ranks.emplace_back([&] {
      for (int round = 1; round <= 200; ++round) {
        ++arrived;
        control->barrier([] {});
        if (arrived < kRanks * round) early = true;
        control->barrier([] {});
      }
    });
  }
  ranks.clear();
  EXPECT_FALSE(early);
  EXPECT_EQ(arrived, kRanks * 200);
}

TYPED_TEST(ControlTest, WhoWaitsLongShowsThatItLives) {
  std::atomic<int> signs = 0;
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] {
      if (rank == 2) std::this_thread::sleep_for(std::chrono::milliseconds{5500});
      this->controls[static_cast<std::size_t>(rank)]->barrier([&] { ++signs; });
    });
  }
  ranks.clear();
  EXPECT_EQ(signs, kRanks - 1);
}

TYPED_TEST(ControlTest, NamesTheFirstRankWhoseWeightsDifferAndCarriesAWordToAll) {
  auto& ranks = this->controls;
  for (auto& rank : ranks) rank->set_hash(7);
  EXPECT_EQ(ranks[3]->first_different_hash(), -1);
  ranks[2]->set_hash(~std::uint64_t{0});
  EXPECT_EQ(ranks[1]->first_different_hash(), 2);
  ranks[0]->set_word(1);
  EXPECT_EQ(ranks[3]->word(), 1U);
}

// The gradient is larger than the pieces of 4 MiB in which it passes through the store.
TEST(SharedGradients, ReachRank0OverTcpAsTheyWereLaid) {
  constexpr std::int64_t kElements = 3'000'000;
  const auto stores = test::tcp_stores(2);
  const auto gradient = at::arange(kElements, at::kFloat);
  auto parameter = at::zeros({kElements});
  parameter.mutable_grad() = gradient;
  SharedGradients first{stores[0], 0, 2, kElements};
  SharedGradients second{stores[1], 1, 2, kElements};
  for (int sample = 1; sample <= 2; ++sample) {
    parameter.mutable_grad() = gradient * sample;
    second.lay({{"weight", parameter, true}}, {});
    second.set_residual_norm(sample);
    first.set_residual_norm(std::nullopt);
    second.show();
    first.show();
    first.collect();
    EXPECT_TRUE(at::equal(at::from_blob(first.of(1), {kElements}), gradient * sample));
    EXPECT_EQ(first.mean_residual_norm(), sample);
  }
}

TEST(StoreAddress, IsAnAddressAndAPort) {
  const auto address = StoreAddress::parse("10.0.0.1:4711");
  EXPECT_EQ(address.host, "10.0.0.1");
  EXPECT_EQ(address.port, 4711);
  for (const auto* text : {"", "10.0.0.1", "10.0.0.1:", "10.0.0.1:x", ":4711", "10.0.0.1:99999"}) {
    EXPECT_THROW(StoreAddress::parse(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace pacbench::trainer::control_test
