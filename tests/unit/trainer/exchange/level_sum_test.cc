#include "trainer/averaging/level_sum.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/averaging/exchange_times.h"

namespace pacbench::trainer::test::level_sum_test {
namespace {

const LinkFacts kStar{"star", 100};

/// An averager that sums a bucket's digits and leaves the sum in place of the mean.
class SumOfDigits final : public Averager {
 public:
  explicit SumOfDigits(LevelSum sum) : sum_{std::move(sum)} {}
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    return sum_.traffic(bucket.elements);
  }
  Task<> average(Bucket& bucket, Group& group) override {
    const auto digits = bucket.mean.to(at::kChar);
    const auto sums = co_await sum_.sum(digits, group);
    bucket.mean.copy_(sums);
  }

 private:
  LevelSum sum_;
};

ThreadRanks ranks_of(const Layout& layout, Encoding encoding, int levels, int ranks) {
  return ThreadRanks{ranks, layout, [=] {
                       return averaged_by<SumOfDigits>(LevelSum{encoding, levels, ranks, kStar});
                     }};
}

/// Random digits in [-levels, levels]. The second bucket has only the two extremes, so its sums are
/// the largest and smallest possible.
Gradients digits(const Layout& layout, int levels, int ranks, std::int64_t seed) {
  auto all = integer_gradients(layout, ranks, levels, seed);
  for (auto& rank : all) rank[1].fill_(-levels).narrow(0, 0, rank[1].numel() / 2).fill_(levels);
  return all;
}

TEST(LevelSum, EveryEncodingIsExactForTwoToSixteenRanks) {
  const auto layout = layout_of({{1001}, {63}, {1}});
  for (int ranks = 2; ranks <= 16; ++ranks) {
    for (const int levels : {1, 3, 7, 127}) {
      const auto gradients = digits(layout, levels, ranks, ranks + levels);
      const auto expected = at::cat(dense_means(gradients)).mul(ranks).round();
      for (const auto encoding : {Encoding::kInt8, Encoding::kLanes, Encoding::kAllToAll}) {
        if (encoding == Encoding::kInt8 && levels * ranks > 127) continue;
        // exchange() throws when other bytes are sent than traffic() says.
        const auto sums = ranks_of(layout, encoding, levels, ranks).exchange(gradients);
        ASSERT_TRUE(at::equal(at::cat(sums[0]), expected))
            << name_of(encoding) << ", " << ranks << " ranks, levels " << levels;
        ASSERT_TRUE(at::equal(at::cat(sums.back()), expected));
      }
    }
  }
}

TEST(LevelSum, AHundredAndTwentyEightRanksSumTernaryDigitsInLanesOfAByte) {
  const auto layout = layout_of({{40}, {9}});
  const auto gradients = digits(layout, 1, 128, 5);
  auto summing = ranks_of(layout, Encoding::kLanes, 1, 128);
  const auto sums = summing.exchange(gradients);
  EXPECT_TRUE(at::equal(sums[127][1], dense_mean(gradients, 1).mul(128)));
  EXPECT_EQ(summing.payloads().at(0), 40);
}

TEST(LevelSum, ADigitOfEightRanksTakesHalfAByteInLanesAndLessByAllToAll) {
  constexpr std::int64_t kElements = 1 << 20;
  const auto bits = [](Encoding encoding) {
    std::int64_t sent = 0;
    for (const auto& call : LevelSum{encoding, 1, 8, kStar}.traffic(kElements)) {
      sent += sent_bytes(call, 0, 8);
    }
    return static_cast<double>(sent) * 8 / static_cast<double>(kElements);
  };
  EXPECT_DOUBLE_EQ(bits(Encoding::kInt8), 14);
  EXPECT_DOUBLE_EQ(bits(Encoding::kLanes), 7);
  EXPECT_DOUBLE_EQ(bits(Encoding::kAllToAll), 5.25);
}

auto refuses(const char* arithmetic) {
  return ::testing::ThrowsMessage<std::invalid_argument>(::testing::HasSubstr(arithmetic));
}

TEST(LevelSum, RefusesWhatDoesNotFitWithTheArithmetic) {
  const auto make = [](Encoding encoding, int levels, int ranks) {
    return [=] { LevelSum{encoding, levels, ranks, kStar}; };
  };
  EXPECT_NO_THROW(make(Encoding::kInt8, 1, 127)());
  EXPECT_NO_THROW(make(Encoding::kLanes, 127, 128)());
  EXPECT_THAT(make(Encoding::kInt8, 1, 128), refuses("1 · 128 = 128"));
  EXPECT_THAT(make(Encoding::kInt8, 127, 8), refuses("127 · 8 = 1016"));
  EXPECT_THAT(make(Encoding::kAuto, 127, 300), refuses("38100"));
}

TEST(LevelSum, AutoTakesTheFastestForRanksLinkAndTopology) {
  constexpr std::int64_t kLarge = 1 << 20;
  const auto chosen = [](int ranks, const LinkFacts& link, int levels = 1) {
    return LevelSum{Encoding::kAuto, levels, ranks, link}.encoding_for(kLarge);
  };
  EXPECT_EQ(chosen(8, kStar), Encoding::kAllToAll);
  // Over a chain's links between switches an all-to-all has a flow for every pair of ranks.
  EXPECT_EQ(chosen(8, {"chain3", 100, {3, 2, 3}}), Encoding::kLanes);
  EXPECT_EQ(chosen(2, kStar), Encoding::kLanes);
  EXPECT_EQ(expected_wire_s({CollectiveKind::kAllReduce, kLarge}, 1, kStar), 0) << "nobody else";
  // A sum has 9 bits, so int8 would overflow; eight bytes hold seven lanes.
  EXPECT_NE(chosen(20, kStar, 7), Encoding::kInt8);
}

}  // namespace
}  // namespace pacbench::trainer::test::level_sum_test
