#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/kernels/ternary.h"
#include "trainer/methods/mask_tracker.h"

namespace pacbench::test {
namespace {

constexpr int kRanks = 4;

Choice pactrain(const std::string& quantize = "none", bool masking = true, int stable_after = 2) {
  return choice("pactrain", {{"pruning_ratio", 0.5},
                             {"score", "random"},
                             {"gradient_masking", masking},
                             {"quantize", quantize},
                             {"stable_after", stable_after}});
}

/// Two parameters of 32 elements, of which every second one is pruned, and one that is not.
Layout pruned_layout() {
  auto layout = layout_of({{32, 6}, {32}});
  const auto mask = at::arange(32).remainder(2).eq(0);
  layout[0].slices[0].mask = mask;
  layout[1].slices[0].mask = mask;
  return layout;
}

ThreadRanks ranks_of(const Choice& method, const Layout& layout = pruned_layout()) {
  return ThreadRanks{kRanks, layout, [method] { return make_method(method); }};
}

bool stable(ThreadRanks& ranks, std::size_t bucket) {
  return ranks.engine(0).trace().at(bucket).notes.value("stable", false);
}

/// Gradients without zeros, so that the agreed mask is the weights' mask from the start.
Gradients full_gradients(std::int64_t seed) {
  auto gradients = integer_gradients(pruned_layout(), kRanks, 50, seed);
  for (auto& rank : gradients) {
    for (auto& bucket : rank) bucket.add_(bucket.eq(0));
  }
  return gradients;
}

at::Tensor masked_mean(const Layout& layout, const Gradients& gradients, std::size_t bucket) {
  return dense_mean(gradients, bucket).mul(layout[bucket].mask());
}

TEST(PacTrain, EqualsTheMaskedDenseMeanExactlyBeforeAndAfterItIsStable) {
  const auto layout = pruned_layout();
  auto ranks = ranks_of(pactrain());
  for (int iteration = 0; iteration < 5; ++iteration) {
    const auto gradients = full_gradients(iteration);
    const auto means = ranks.exchange(gradients);
    EXPECT_EQ(stable(ranks, 0), iteration >= 2);
    for (std::size_t bucket = 0; bucket < layout.size(); ++bucket) {
      EXPECT_TRUE(at::equal(means[1][bucket], masked_mean(layout, gradients, bucket)));
    }
  }
}

TEST(PacTrain, WaitsForAsManyEqualMasksAsAskedFor) {
  for (const int stable_after : {1, 3, 5}) {
    auto ranks = ranks_of(pactrain("none", true, stable_after));
    int dense = 0;
    for (int iteration = 0; iteration < 8; ++iteration) {
      ranks.exchange(full_gradients(iteration));
      if (!stable(ranks, 0)) ++dense;
    }
    EXPECT_EQ(dense, stable_after);
  }
}

TEST(PacTrain, SendsHalfTheElementsAndOneFlagOnceStable) {
  auto ranks = ranks_of(pactrain());
  for (int iteration = 0; iteration < 4; ++iteration) ranks.exchange(full_gradients(iteration));
  const auto calls = ranks.engine(0).trace().at(1).collectives;
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].elements, 16 + 1);
  EXPECT_EQ(calls[0].dtype, "float32");
}

TEST(PacTrain, TernaryDigitsTravelAsBytesBehindOneScaleALayer) {
  auto ranks = ranks_of(pactrain("ternary"));
  for (int iteration = 0; iteration < 4; ++iteration) ranks.exchange(full_gradients(iteration));
  const auto calls = ranks.engine(0).trace().at(0).collectives;
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].elements, 2);
  EXPECT_EQ(calls[1].payload_bytes, 16 + 6 + 1);
}

TEST(PacTrain, RanksThatSeeDifferentZerosStillAgree) {
  auto ranks = ranks_of(pactrain());
  for (int iteration = 0; iteration < 6; ++iteration) {
    auto gradients = full_gradients(iteration);
    // Each rank is missing other elements: by its own mask it would exchange another size.
    for (int rank = 0; rank < kRanks; ++rank) {
      gradients[static_cast<std::size_t>(rank)][1].narrow(0, 4 * rank, 4).zero_();
    }
    const auto means = ranks.exchange(gradients);
    EXPECT_TRUE(at::equal(means[0][1], masked_mean(pruned_layout(), gradients, 1)));
  }
  EXPECT_TRUE(stable(ranks, 1));
}

TEST(PacTrain, AGradientOutsideTheAgreedMaskIsFlaggedHeldAndDeliveredNext) {
  const auto layout = pruned_layout();
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

  const auto next = ranks.exchange(without_element_2);
  EXPECT_FALSE(stable(ranks, 1));
  EXPECT_EQ(next[0][1][2].item<float>(), 8.0F / kRanks);
  EXPECT_EQ(next[0][1][4].item<float>(),
            masked_mean(layout, without_element_2, 1)[4].item<float>());

  const auto after = ranks.exchange(surprise);
  EXPECT_TRUE(stable(ranks, 1));
  EXPECT_TRUE(at::equal(after[2][1], masked_mean(layout, surprise, 1)));
}

TEST(PacTrain, WithoutGradientMaskingItIsTheDenseMean) {
  auto ranks = ranks_of(pactrain("none", /*masking=*/false));
  for (int iteration = 0; iteration < 4; ++iteration) {
    const auto gradients = full_gradients(iteration);
    EXPECT_TRUE(at::equal(ranks.exchange(gradients)[0][0], dense_mean(gradients, 0)));
  }
}

TEST(PacTrain, TernaryMeansAreUnbiasedWithAScaleOfItsOwnForEachLayer) {
  const auto layout = pruned_layout();
  auto ranks = ranks_of(pactrain("ternary"));
  Gradients gradients;
  for (int rank = 0; rank < kRanks; ++rank) {
    // Even spreads, so that nothing lies beyond 2.5 deviations and is clipped.
    const auto small = at::linspace(-1, 1, 32).add(0.1 * (rank + 1));
    const auto large = at::linspace(-1000, 1000, 6).mul(1 + 0.1 * rank);
    gradients.push_back({at::cat({small, large}), at::linspace(0.5, 1.5, 32)});
  }
  constexpr int kIterations = 3000;
  for (int iteration = 0; iteration < 3; ++iteration) ranks.exchange(gradients);
  ASSERT_TRUE(stable(ranks, 0));
  auto sum = at::zeros({38});
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    sum += ranks.exchange(gradients)[0][0];
  }
  const auto expected = masked_mean(layout, gradients, 0);
  const auto error = sum.div(kIterations).sub(expected).abs();
  // Five standard errors of a mean of digits, each of variance at most scale².
  const double share = 5 / std::sqrt(kIterations * kRanks);
  EXPECT_LT(error.narrow(0, 0, 32).max().item<double>(), share * 1.5);
  EXPECT_LT(error.narrow(0, 32, 6).max().item<double>(), share * 1500);
}

TEST(PacTrain, RefusesTernaryDigitsWhereTheirSumWouldNotFitAByte) {
  const auto make = [] { return make_method(pactrain("ternary")); };
  EXPECT_THROW((ThreadRanks{128, layout_of({{4}}), make}), std::invalid_argument);
}

TEST(Ternary, ScaleIsTheLargestMagnitudeClippedAtTwoAndAHalfDeviations) {
  auto values = at::zeros({100});
  values[0] = 10;
  // Mean 0.1, deviation sqrt(1 - 0.01).
  EXPECT_NEAR(ternary_scale(values), 2.5 * std::sqrt(0.99), 1e-5);
  values.fill_(-2);
  values[1] = 2;
  EXPECT_NEAR(ternary_scale(values), 2.5 * std::sqrt(4 - 1.96 * 1.96), 1e-5);
  EXPECT_EQ(ternary_scale(at::full({1}, -3.0F)), 3);
  EXPECT_EQ(ternary_scale(at::empty({0})), 0);
}

TEST(Ternary, IsUnbiased) {
  constexpr std::int64_t kElements = 200;
  constexpr int kDraws = 4000;
  const auto values = at::linspace(-1, 1, kElements);
  const auto positions = at::arange(kElements);
  auto digits = at::empty({kElements}, at::kChar);
  auto sum = at::zeros({kElements}, at::kInt);
  RandomKey key;
  for (int draw = 0; draw < kDraws; ++draw) {
    key.iteration = draw;
    ternarise(values, positions, kElements, 1.25F, key, digits);
    sum += digits;
  }
  const auto mean = sum.to(at::kFloat).mul(1.25 / kDraws);
  // Five standard errors of a digit of variance at most scale².
  EXPECT_LT(mean.sub(values).abs().max().item<double>(), 5 * 1.25 / std::sqrt(kDraws));
}

TEST(Ternary, TheDigitOfAnElementDoesNotDependOnWhichOthersAreKept) {
  const auto values = at::linspace(-1, 1, 64);
  auto all = at::empty({64}, at::kChar);
  RandomKey key;
  ternarise(values, at::arange(64), 64, 1, key, all);
  const auto kept = at::arange(0, 64, 3);
  auto some = at::empty({kept.numel()}, at::kChar);
  ternarise(values.index_select(0, kept), kept, 64, 1, key, some);
  EXPECT_TRUE(at::equal(some, all.index_select(0, kept)));
}

TEST(MaskTracker, TheUnionOnlyGrowsAndGrowthStartsTheCountAnew) {
  MaskTracker tracker{4, 2};
  const auto see = [&](std::vector<float> gradient) {
    tracker.agree(tracker.propose(at::tensor(gradient)));
  };
  see({1, 0, 0, 0});
  see({1, 1, 0, 0});
  EXPECT_FALSE(tracker.stable());
  see({0, 1, 0, 0});  // nothing new: the union is the same
  EXPECT_TRUE(tracker.stable());
  EXPECT_EQ(tracker.kept_count(), 2);
}

}  // namespace
}  // namespace pacbench::test
