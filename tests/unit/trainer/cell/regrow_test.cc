// Prune-and-regrow in training: masks move, and everything else is PacTrain's.
#include <gtest/gtest.h>

#include "tests/unit/trainer/cell/cell.h"

namespace pacbench::trainer::test {
namespace {

double nonzero_share(const at::Tensor& weights) {
  return weights.ne(0).sum().item<double>() / static_cast<double>(weights.numel());
}

TEST(PruneAndRegrow, ThatNeverRegrowsIsPacTrainWithMasksFromTheWeights) {
  const auto still = trained_by("prune-and-regrow", {{"regrow_every", 100}});
  const auto pactrain = trained_by("pactrain", {{"quantize", "none"}});
  expect_same_weights(still, pactrain);
}

TEST(PruneAndRegrow, SendsWholeGradientsBeforeMasksChangeAndMovesThem) {
  const auto trained = trained_by("prune-and-regrow", {{"regrow_every", 5}, {"until", 0.5}});
  std::int64_t whole = 0;
  std::int64_t kept = 0;
  for (const auto& event : trained.of_kind("iteration")) {
    if (event.at("rank") != 0) continue;
    const std::int64_t iteration = event.at("iteration");
    const std::int64_t bytes = event.at("expected_sent_bytes");
    if (iteration == 5) whole = bytes;
    if (iteration == 4) kept = bytes;
    if (iteration == 10) {
      EXPECT_EQ(bytes, whole);
    }
    if (iteration == 15) {
      EXPECT_LT(bytes, whole) << "masks change until half of the run";
    }
  }
  EXPECT_GT(static_cast<double>(whole), 1.5 * static_cast<double>(kept));
  // Masks change at the start, and after iterations 5 and 10.
  const auto pruned = trained.of_kind("pruned");
  ASSERT_EQ(pruned.size(), 3U);
  for (const auto& event : pruned) EXPECT_NEAR(event.at("kept_fraction"), 0.5, 0.01);
  EXPECT_NE(pruned[0].at("mask_sample"), pruned[1].at("mask_sample"));
  EXPECT_NE(pruned[1].at("mask_sample"), pruned[2].at("mask_sample"));
  EXPECT_LE(nonzero_share(trained.weights[0][0]), 0.75);
}

}  // namespace
}  // namespace pacbench::trainer::test
