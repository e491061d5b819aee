// Compares prune-and-regrow by votes with votes that are counted one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/trainer/exchange/pruned_ranks.h"

namespace pacbench::trainer::test::regrow_votes_test {
namespace {

RunFacts with_iterations(std::int64_t count) {
  RunFacts run;
  run.max_iterations = count;
  return run;
}

/// Ranks whose masks change after each iteration by `share` of the kept entries.
ThreadRanks voters(double share, const Layout& layout) {
  const auto method = with_defaults(
      "prune-and-regrow",
      {{"regrow_every", 1}, {"regrow_share", share}, {"until", 1.0}, {"grow_by", "votes"}});
  return ThreadRanks{kRanks, layout, [method] { return make_method(method, with_iterations(9)); }};
}

/// Returns the places of the `count` largest pruned entries of a parameter; pruned_layout() prunes
/// the odd ones.
std::vector<std::int64_t> chosen_by(const at::Tensor& gradient, std::size_t count) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 1; i < 32; i += 2) places.push_back(i);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(gradient[a].item<float>()) > std::abs(gradient[b].item<float>());
  });
  places.resize(count);
  return places;
}

TEST(RegrowVotes, GiveEachPrunedEntryTheShareOfTheRanksThatHaveItAmongTheirLargest) {
  const auto layout = pruned_layout();
  const auto gradients = full_gradients(3);
  auto ranks = voters(0.25, layout);
  const auto means = ranks.exchange(gradients);

  auto expected = at::zeros({32});
  for (const auto& rank : gradients) {
    for (const auto place : chosen_by(rank[0].narrow(0, 0, 32), 4)) expected[place] += 0.25;
  }
  for (const auto& rank : means) {
    EXPECT_TRUE(at::equal(rank[0].narrow(0, 0, 32), expected));
    EXPECT_TRUE(at::equal(rank[0].narrow(0, 32, 6), at::zeros({6}))) << "nothing grows there";
  }
  EXPECT_FLOAT_EQ(expected.sum().item<float>(), 4);
}

TEST(RegrowVotes, SendABitAnEntry) {
  auto ranks = voters(0.25, pruned_layout());
  ranks.exchange(full_gradients(3));
  // The buckets have 38 and 32 entries, a bit each, in words of 32 bits.
  const std::vector<Issued> expected{{CollectiveKind::kAllGather, at::kByte, 8},
                                     {CollectiveKind::kAllGather, at::kByte, 4}};
  EXPECT_EQ(ranks.issued(0), expected);
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
