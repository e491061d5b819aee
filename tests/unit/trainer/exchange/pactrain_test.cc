#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/pruned_ranks.h"
#include "trainer/averaging/mask_tracker.h"

namespace pacbench::trainer::test::pactrain_test {
namespace {

TEST(PacTrain, EqualsTheMaskedDenseMeanExactlyBeforeAndAfterItIsStable) {
  for (const int stable_after : {1, 2, 5}) {
    SCOPED_TRACE(stable_after);
    auto ranks = ranks_of(pactrain({{"stable_after", stable_after}}));
    for (int iteration = 0; iteration < 8; ++iteration) {
      const auto gradients = full_gradients(iteration);
      const auto means = ranks.exchange(gradients);
      EXPECT_EQ(stable(ranks, 0), iteration >= stable_after);
      for (const std::size_t bucket : {0U, 1U}) {
        EXPECT_TRUE(at::equal(means[1][bucket], masked_mean(gradients, bucket)));
      }
    }
    const auto calls = ranks.calls(0, 1);
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].elements, 16 + 1) << "half the elements and a flag";
    EXPECT_EQ(calls[0].dtype, "float32");
  }
}

TEST(PacTrain, RanksThatSeeDifferentZerosStillAgree) {
  auto ranks = ranks_of(pactrain());
  for (int iteration = 0; iteration < 6; ++iteration) {
    auto gradients = full_gradients(iteration);
    // Each rank has zeros at other elements, so with its own mask it would exchange another size.
    for (int rank = 0; rank < kRanks; ++rank) {
      gradients[static_cast<std::size_t>(rank)][1].narrow(0, 4 * rank, 4).zero_();
    }
    EXPECT_TRUE(at::equal(ranks.exchange(gradients)[0][1], masked_mean(gradients, 1)));
  }
  EXPECT_TRUE(stable(ranks, 1));
}

TEST(PacTrain, AGradientOutsideTheAgreedMaskIsFlaggedHeldAndDeliveredNextAlsoAfterNewMasks) {
  for (const bool new_masks : {false, true}) {
    SCOPED_TRACE(new_masks);
    auto ranks = ranks_of(pactrain());
    auto without_element_2 = full_gradients(1);
    for (auto& rank : without_element_2) rank[1][2] = 0;
    for (int iteration = 0; iteration < 3; ++iteration) ranks.exchange(without_element_2);
    ASSERT_TRUE(stable(ranks, 1));

    auto surprise = without_element_2;
    surprise[3][1] = surprise[3][1].clone();
    surprise[3][1][2] = 8;
    EXPECT_EQ(ranks.exchange(surprise)[0][1][2].item<float>(), 0);
    EXPECT_TRUE(ranks.engine(0).trace().at(1).notes.value("flagged", false));

    if (new_masks) ranks.settle(pruned_layout());
    const auto next = ranks.exchange(without_element_2)[0][1];
    EXPECT_FALSE(stable(ranks, 1));
    EXPECT_EQ(next[2].item<float>(), 8.0F / kRanks);
    EXPECT_EQ(next[4].item<float>(), masked_mean(without_element_2, 1)[4].item<float>());

    const auto after = ranks.exchange(surprise)[2][1];
    EXPECT_EQ(stable(ranks, 1), !new_masks);
    EXPECT_TRUE(at::equal(after, masked_mean(surprise, 1)));
  }
}

TEST(PacTrain, WithoutGradientMaskingItIsTheDenseMean) {
  auto ranks = ranks_of(pactrain({{"gradient_masking", false}}));
  for (int iteration = 0; iteration < 4; ++iteration) {
    const auto gradients = full_gradients(iteration);
    EXPECT_TRUE(equal_bits(ranks.exchange(gradients)[0], dense_means(gradients)));
  }
}

TEST(MaskTracker, TheUnionOnlyGrowsAndGrowthStartsTheCountAnew) {
  MaskTracker tracker{1, 2};
  const auto see = [&](std::int64_t nonzeros) {
    tracker.agree(tracker.propose(at::full({1}, nonzeros, at::kLong)));
  };
  see(0b0001);
  see(0b0011);
  EXPECT_FALSE(tracker.stable());
  see(0b0010);  // nothing new: the union is the same
  EXPECT_TRUE(tracker.stable());
  EXPECT_EQ(tracker.words().item<std::int64_t>(), 0b0011);
}

}  // namespace
}  // namespace pacbench::trainer::test::pactrain_test
