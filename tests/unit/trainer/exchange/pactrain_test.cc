// PacTrain: masked means and the tracker of masks; encodings of kept gradients, scales, error
// feedback, and failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/trainer/exchange/pruned_ranks.h"
#include "trainer/averaging/compacted.h"

namespace pacbench::trainer::test::pactrain_test {
namespace {

using ::testing::HasSubstr;

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

TEST(PacTrain, TernaryDigitsTravelAsBytesBehindOneScaleALayer) {
  auto ranks = ranks_of(pactrain({{"quantize", "ternary"}}));
  for (int iteration = 0; iteration < 4; ++iteration) ranks.exchange(full_gradients(iteration));
  EXPECT_EQ(ranks.payloads(), (std::vector<std::int64_t>{4 * 2, 16 + 6 + 1}));
}

TEST(PacTrain, TernaryMeansAreUnbiasedWithAScaleOfItsOwnForEachLayer) {
  auto ranks = ranks_of(pactrain({{"quantize", "ternary"}}));
  Gradients gradients;
  for (int rank = 0; rank < kRanks; ++rank) {
    // Values are evenly spread, so that none is beyond 2.5 deviations and clipped.
    const auto small = at::linspace(-1, 1, 32).add(0.1 * (rank + 1));
    const auto large = at::linspace(-1000, 1000, 6).mul(1 + 0.1 * rank);
    gradients.push_back({at::cat({small, large}), at::linspace(0.5, 1.5, 32)});
  }
  constexpr int kIterations = 3000;
  for (int iteration = 0; iteration < 3; ++iteration) ranks.exchange(gradients);
  ASSERT_TRUE(stable(ranks, 0));
  const auto mean = sum_of_means(ranks, gradients, kIterations) / kIterations;
  const auto error = (mean - masked_mean(gradients, 0)).abs();
  // The limit is five standard errors of a mean of digits, whose variance is at most scale².
  const double share = 5 / std::sqrt(kIterations * kRanks);
  EXPECT_LT(error.narrow(0, 0, 32).max().item<double>(), share * 1.5);
  EXPECT_LT(error.narrow(0, 32, 6).max().item<double>(), share * 1500);
}

TEST(PacTrain, RefusesTernaryDigitsWhereTheirSumWouldNotFitAByte) {
  const auto make = [] { return make_method(pactrain({{"quantize", "ternary"}})); };
  EXPECT_THROW((ThreadRanks{128, layout_of({{4}}), make}), std::invalid_argument);
}

/// Ternary digits by masks that are known from the weights.
Choice ternary(Json options = Json::object()) {
  options["quantize"] = "ternary";
  options["mask_source"] = "weights";
  return pactrain(options);
}

/// Gradients of no special form, different for each seed.
Gradients float_gradients(std::int64_t seed) {
  auto gradients = integer_gradients(pruned_layout(), kRanks, 1 << 20, seed);
  for (auto& rank : gradients) {
    for (auto& bucket : rank) bucket.mul_(1e-6);
  }
  return gradients;
}

TEST(PacTrain, EveryEncodingGivesTheSameBits) {
  for (const auto* quantize : {"ternary", "4-bit"}) {
    std::vector<ThreadRanks> all;
    for (const auto* encoding : {"int8", "lanes", "all-to-all", "auto"}) {
      all.push_back(ranks_of(pactrain({{"quantize", quantize}, {"encoding", encoding}})));
    }
    for (int iteration = 0; iteration < 5; ++iteration) {
      const auto gradients = float_gradients(iteration);
      const auto expected = all.front().exchange(gradients)[0];
      for (std::size_t i = 1; i < all.size(); ++i) {
        EXPECT_TRUE(equal_bits(all[i].exchange(gradients)[2], expected))
            << quantize << ", encoding " << i;
      }
    }
  }
}

TEST(PacTrain, MasksOfWeightsAndOfTheTrackerGiveTheSameAggregatesWhicheverZerosItHasSeen) {
  for (const auto& [quantize, dead_unit] :
       {std::pair{"none", false}, std::pair{"ternary", false}, std::pair{"ternary", true}}) {
    auto tracked = ranks_of(pactrain({{"quantize", quantize}}));
    auto known = ranks_of(pactrain({{"quantize", quantize}, {"mask_source", "weights"}}));
    for (int iteration = 0; iteration < 5; ++iteration) {
      auto gradients = full_gradients(iteration);
      // Kept weights behind a dead unit have zero gradients. They are in the weights' mask, but
      // never in the tracker's.
      for (auto& rank : gradients) {
        if (dead_unit) rank[1].narrow(0, 4, 20).zero_();
      }
      const auto means = tracked.exchange(gradients)[0];
      const auto others = known.exchange(gradients)[3];
      EXPECT_TRUE(stable(known, 0));
      // Before the mask is stable the tracker's exchange is dense and without digits.
      if (!stable(tracked, 1) && quantize != std::string{"none"}) continue;
      EXPECT_TRUE(equal_bits(means, others)) << quantize << ' ' << iteration;
    }
    EXPECT_TRUE(stable(tracked, 1));
  }
}

TEST(PacTrain, ALayerOfEqualGradientsIsNotClippedToNothing) {
  const Gradients equal(kRanks, {at::full({38}, 3.0F), at::full({32}, 3.0F)});
  auto ranks = ranks_of(ternary());
  EXPECT_EQ(ranks.exchange(equal)[0][1][0].item<float>(), 3);
}

TEST(PacTrain, ALayerThatWasStillInTheLastStepGetsAScaleOfThisOne) {
  auto ranks = ranks_of(ternary({{"scale_from", "last"}}));
  auto gradients = full_gradients(0);
  for (auto& rank : gradients) rank[0].narrow(0, 32, 6).zero_();
  ranks.exchange(gradients);
  for (auto& rank : gradients) rank[0].narrow(0, 32, 6).fill_(2);
  EXPECT_EQ(ranks.exchange(gradients)[0][0][37].item<float>(), 2);
}

TEST(PacTrain, WithErrorFeedbackNothingIsLostOverTime) {
  for (const auto* quantize : {"fp16", "ternary", "3-bit"}) {
    auto ranks = ranks_of(pactrain({{"quantize", quantize}, {"error_feedback", true}}));
    auto received = at::zeros({32});
    auto given = at::zeros({32});
    for (int iteration = 0; iteration < 8; ++iteration) {
      auto gradients = float_gradients(iteration);
      // A ring of 16-bit floats rounds sums at each hop, which no rank can feed back.
      if (quantize == std::string{"fp16"}) {
        for (const std::size_t rank : {1U, 2U, 3U}) gradients[rank][1].zero_();
      }
      given += masked_mean(gradients, 1);
      received += ranks.exchange(gradients)[0][1];
    }
    auto held_back = at::zeros({32});
    for (int rank = 0; rank < kRanks; ++rank) {
      held_back += Remembered{ranks.engine(rank)}.tensors.at("bucket1/residual") / kRanks;
    }
    EXPECT_GT(*ranks.engine(0).method().residual_norm(), 0) << quantize;
    EXPECT_TRUE(at::allclose(received + held_back, given, 1e-4, 1e-5)) << quantize;
  }
}

TEST(PacTrain, ValuesInHalfPrecisionAreWithinItsRounding) {
  auto ranks = ranks_of(pactrain({{"quantize", "fp16"}}));
  for (int iteration = 0; iteration < 4; ++iteration) {
    const auto gradients = float_gradients(iteration);
    const auto mean = ranks.exchange(gradients)[1][0];
    EXPECT_TRUE(at::allclose(mean, masked_mean(gradients, 0), 5e-3, 2e-3));
  }
  EXPECT_EQ(ranks.payloads(0, 1).at(0), 2 * (16 + 1));
}

TEST(PacTrain, AnUnclippedScaleKeepsTheLargestGradientWhole) {
  Gradients spike(kRanks, {at::full({38}, 0.001F), at::full({32}, 0.001F)});
  for (auto& rank : spike) rank[1][4] = 8;
  const auto mean_of_spike = [&](const char* scale) {
    auto ranks = ranks_of(ternary({{"scale", scale}}));
    return ranks.exchange(spike)[0][1][4].item<float>();
  };
  EXPECT_EQ(mean_of_spike("max"), 8);
  EXPECT_LT(mean_of_spike("clip"), 6);
}

TEST(PacTrain, ScalesOfTheLastStepSpareEachBucketACollective) {
  auto ranks = ranks_of(ternary({{"scale_from", "last"}}));
  ranks.exchange(full_gradients(0));
  EXPECT_EQ(ranks.calls(0, 1).size(), 3U);  // check, scales, digits
  ranks.exchange(full_gradients(1));
  EXPECT_EQ(ranks.calls(0, 1).size(), 1U);
  EXPECT_EQ(ranks.calls(0, 2).at(0).elements, 3) << "beside the two buckets";
}

TEST(PacTrain, AGradientThatIsNotFiniteIsRefusedByNameAndNotByWhatItDidToTheOthers) {
  constexpr auto kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const auto value : {std::numeric_limits<float>::infinity(), kNaN}) {
    auto ranks = ranks_of(ternary());
    auto gradients = full_gradients(1);
    gradients[2][1][6] = value;
    EXPECT_THROW(ranks.exchange(gradients), std::runtime_error);
    for (const auto& failure : ranks.failures()[2]) {
      if (!failure) continue;
      EXPECT_THAT(message_of(failure), HasSubstr("rank 2, bucket 1: the gradient of parameter2"));
    }
    EXPECT_TRUE(ranks.failures()[2][1]);
  }
}

TEST(PacTrain, ABucketWithoutAnythingToSendStillCarriesItsFlag) {
  for (const auto* encoding : {"int8", "lanes", "all-to-all"}) {
    auto ranks = ranks_of(pactrain({{"quantize", "ternary"}, {"encoding", encoding}}));
    auto nothing = full_gradients(1);
    for (auto& rank : nothing) rank[1].zero_();
    for (int iteration = 0; iteration < 3; ++iteration) ranks.exchange(nothing);
    ASSERT_TRUE(stable(ranks, 1)) << encoding;
    EXPECT_EQ(ranks.engine(0).trace().at(1).notes.at("kept"), 0);
    auto something = nothing;
    something[1][1] = at::full({32}, 4.0F);
    ranks.exchange(something);
    EXPECT_EQ(ranks.exchange(nothing)[0][1][0].item<float>(), 4.0F / kRanks) << encoding;
  }
}

TEST(PacTrain, RanksWithDifferentMasksFailLoudlyAndAreNamed) {
  auto ranks = ranks_of(pactrain({{"check_every", 1}}));
  for (int iteration = 0; iteration < 3; ++iteration) ranks.exchange(full_gradients(iteration));
  ASSERT_TRUE(stable(ranks, 1));
  Remembered{ranks.engine(2)}.tensors.at("bucket1/mask")[0].bitwise_xor_(1 << 5);
  Remembered{ranks.engine(2)};  // takes the changed mask
  EXPECT_THAT([&] { ranks.exchange(full_gradients(4)); },
              ::testing::ThrowsMessage<std::runtime_error>(
                  HasSubstr("bucket 1: the masks of rank 0 and rank 2")));
}

TEST(PacTrain, NewMasksStartTheTrackerAnewAndKeepWhatIsHeldBack) {
  auto layout = pruned_layout();
  auto ranks = ranks_of(pactrain({{"quantize", "ternary"}, {"error_feedback", true}}));
  for (int iteration = 0; iteration < 4; ++iteration) ranks.exchange(float_gradients(iteration));
  ASSERT_TRUE(stable(ranks, 1));
  const auto before = *ranks.engine(0).method().residual_norm();

  layout[1].slices[0].mask = at::arange(32).remainder(4).eq(0);
  ranks.settle(layout);
  EXPECT_EQ(*ranks.engine(0).method().residual_norm(), before);
  for (int iteration = 0; iteration < 3; ++iteration) {
    ranks.exchange(float_gradients(iteration));
    EXPECT_EQ(stable(ranks, 1), iteration >= 2);
  }
  EXPECT_EQ(ranks.engine(0).trace().at(1).notes.at("kept"), 8);
}

}  // namespace
}  // namespace pacbench::trainer::test::pactrain_test
