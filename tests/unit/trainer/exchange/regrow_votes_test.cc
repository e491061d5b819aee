// Compares prune-and-regrow by votes with votes that are counted one by one.
#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/pruned_ranks.h"

namespace pacbench::trainer::test::regrow_votes_test {
namespace {

/// Ranks whose masks change after each iteration by `share` of the kept entries.
ThreadRanks voters(double share, const Layout& layout) {
  RunFacts run;
  run.max_iterations = 9;
  return ranks_of(
      choice("prune-and-regrow",
             {{"regrow_every", 1}, {"regrow_share", share}, {"until", 1.0}, {"grow_by", "votes"}}),
      kRanks, layout, run);
}

TEST(RegrowVotes, GiveEachPrunedEntryTheShareOfTheRanksThatHaveItAmongTheirLargestByABitEach) {
  const auto gradients = full_gradients(3);
  auto ranks = voters(0.25, pruned_layout());
  const auto means = ranks.exchange(gradients);

  auto expected = at::zeros({32});
  for (const auto& rank : gradients) {
    // pruned_layout() prunes the odd entries.
    const auto pruned = rank[0].slice(0, 1, 32, 2).abs();
    const auto order = pruned.argsort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
    expected.slice(0, 1, 32, 2).index_add_(0, order.narrow(0, 0, 4), at::full({4}, 0.25));
  }
  for (const auto& rank : means) {
    EXPECT_TRUE(at::equal(rank[0].narrow(0, 0, 32), expected));
    EXPECT_TRUE(at::equal(rank[0].narrow(0, 32, 6), at::zeros({6}))) << "nothing grows there";
  }
  EXPECT_FLOAT_EQ(expected.sum().item<float>(), 4);
  // The buckets have 38 and 32 entries, in words of 32 bits.
  const std::vector<Issued> calls{{CollectiveKind::kAllGather, at::kByte, 8},
                                  {CollectiveKind::kAllGather, at::kByte, 4}};
  EXPECT_EQ(ranks.issued(0), calls);
}

TEST(RegrowVotes, AskForNoMoreEntriesThanArePruned) {
  auto layout = pruned_layout();
  for (auto& bucket : layout) bucket.slices[0].mask = at::arange(32).ne(5);
  const auto means = voters(0.9, layout).exchange(full_gradients(3));
  EXPECT_FLOAT_EQ(means[0][0].sum().item<float>(), 1);
  EXPECT_FLOAT_EQ(means[0][0][5].item<float>(), 1);
}

TEST(RegrowVotes, AreForPrunedEntriesAloneAlsoWhereFewOfThemHaveAGradient) {
  auto gradients = full_gradients(3);
  for (auto& rank : gradients) {
    rank[0].slice(0, 1, 32, 2).zero_();  // the pruned entries
    rank[0][31] = 2;
  }
  const auto means = voters(0.25, pruned_layout()).exchange(gradients);
  auto expected = at::zeros({32});
  for (const std::int64_t place : {1, 3, 5, 31}) expected[place] = 1;
  for (const auto& rank : means) EXPECT_TRUE(at::equal(rank[0].narrow(0, 0, 32), expected));
}

}  // namespace
}  // namespace pacbench::trainer::test::regrow_votes_test
