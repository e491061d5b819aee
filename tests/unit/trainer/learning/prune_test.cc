#include "trainer/pruning/prune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/unit/trainer/learning/pruning_nets.h"
#include "trainer/pruning/threshold.h"

namespace pacbench::trainer {
namespace {

using ::testing::HasSubstr;

TEST(Pruning, ByMagnitudeKeepsTheLargestWeightsOfTheWholeModel) {
  const auto model = small_net();
  const auto kept = flat(choose_masks(*model, *digits(), {.score = "magnitude"}, 0.5, {}, 1));
  const auto sizes = flat(magnitude_importances(*model));
  EXPECT_GE(sizes.masked_select(kept).min().item<float>(),
            sizes.masked_select(kept.logical_not()).max().item<float>());
}

TEST(Pruning, AtRandomDependsOnTheSeedAndNotOnTorchsGenerator) {
  const auto model = small_net();
  const auto masks_for = [&](std::int64_t seed) {
    return choose_masks(*model, *digits(), {.score = "random"}, 0.5, {}, seed).pack();
  };
  torch::manual_seed(1);
  const auto first = masks_for(7);
  torch::manual_seed(2);
  EXPECT_TRUE(at::equal(first, masks_for(7)));
  EXPECT_FALSE(at::equal(first, masks_for(8)));
}

TEST(Pruning, ByGraspAveragesOverBatchesOfTheirOwnImages) {
  const auto model = small_net();
  const auto data = digits();
  const auto first = grasp_importances(*model, data->balanced_batch(9, 25, 0));
  const auto second = grasp_importances(*model, data->balanced_batch(9, 25, 1));
  EXPECT_GT(relative_error(first, second), 0.01);
  auto mean = first;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    if (mean[i].defined()) mean[i] = (first[i] + second[i]) / 2;
  }
  const auto masks = choose_masks(*model, *data, {.batches = 2}, 0.5, {}, 9);
  EXPECT_EQ(same_share(masks, masks_of(parameters_of(*model), mean, 0.5)), 1);
}

TEST(Pruning, WithANormDoesNotHeedTheScaleOfALayer) {
  const auto model = small_net();
  const auto masks = [&](const std::string& norm) {
    const PruningPlan plan{.score = "magnitude", .normalize = norm};
    return choose_masks(*model, *digits(), plan, 0.5, {}, 1);
  };
  const std::vector<WeightMasks> before{masks("none"), masks("l1"), masks("l2")};
  {
    const torch::NoGradGuard no_grad;
    parameters_of(*model)[2].tensor.mul_(1024);  // a power of two: not a bit is rounded
  }
  EXPECT_LT(same_share(masks("none"), before[0]), 0.95);
  EXPECT_EQ(same_share(masks("l1"), before[1]), 1);
  EXPECT_EQ(same_share(masks("l2"), before[2]), 1);
}

TEST(Pruning, WithANormMeasuresALayerByTheWeightsThatItStillHas) {
  const std::vector<Parameter> parameters{{"weight", at::zeros({1, 3}), true}};
  WeightMasks present{parameters};
  present.set_mask(0, at::tensor({1, 1, 0}).to(at::kBool).view({1, 3}));
  Importances l1{at::tensor({1.0F, -7.0F, 100.0F}).view({1, 3})};
  Importances l2{l1[0].clone()};
  normalise(l1, "l1", present);
  normalise(l2, "l2", present);
  EXPECT_FLOAT_EQ(l1[0][0][1].item<float>(), -7.0F / 4);  // mean of 1 and 7
  EXPECT_FLOAT_EQ(l2[0][0][1].item<float>(), -7.0F / 5);  // root of the mean of 1 and 49
}

TEST(Pruning, WithANormLeavesALayerOfZeros) {
  Importances importances{at::zeros({2, 2}), at::Tensor{}};
  normalise(importances, "l2", {});
  EXPECT_TRUE(at::equal(importances[0], at::zeros({2, 2})));
}

TEST(Pruning, RefusesWordsThatAPlanMayNotHold) {
  const auto expect_refused = [](const PruningPlan& plan, const std::string& message) {
    try {
      choose_masks(*small_net(), *digits(), plan, 0.5, {}, 1);
      FAIL() << message;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  };
  expect_refused({.score = "luck"},
                 "/method/score: found \"luck\", expected one of grasp, magnitude, random");
  expect_refused({.normalize = "l3"}, "/method/normalize: found \"l3\", expected none, l1 or l2");
  expect_refused({.hessian = "guess"},
                 "/method/hessian: found \"guess\", expected exact or differences");
}

}  // namespace
}  // namespace pacbench::trainer
