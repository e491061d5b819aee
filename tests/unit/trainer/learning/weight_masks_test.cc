#include "trainer/pruning/weight_masks.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "contract/result/mask_overlap.h"
#include "tests/unit/trainer/learning/pruning_nets.h"
#include "trainer/pruning/mask_sample.h"
#include "trainer/pruning/threshold.h"

namespace pacbench::trainer {
namespace {

WeightMasks random_masks(const Model& model, double ratio, std::int64_t seed) {
  return masks_of(parameters_of(model), random_importances(model, seed), ratio);
}

double overlap(const WeightMasks& a, const WeightMasks& b) {
  const auto both = flat(a).logical_and(flat(b)).sum().item<double>();
  return both / flat(a).logical_or(flat(b)).sum().item<double>();
}

TEST(WeightMasks, SurviveBeingPacked) {
  const auto model = small_net("resnet8");
  const auto masks = random_masks(*model, 0.37, 1);
  const auto bits = masks.pack();
  EXPECT_EQ(bits.numel(), (masks.prunable() + 7) / 8);
  WeightMasks received{parameters_of(*model)};
  EXPECT_EQ(received.kept_fraction(), 1);
  received.unpack(bits);
  EXPECT_TRUE(at::equal(flat(received), flat(masks)));
  EXPECT_THROW(received.unpack(bits.narrow(0, 1, bits.numel() - 1)), std::invalid_argument);
}

TEST(WeightMasks, ZeroWeightsAndMomentumAndNothingElse) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  const auto sgd = make_optimizer({.momentum = 0.9}, model->parameters());
  for (auto& weights : model->parameters()) weights.mutable_grad() = at::ones_like(weights);
  sgd->step(0.01);
  const auto masks = masks_of(parameters, magnitude_importances(*model), 0.5);
  EXPECT_EQ(masks.first_violation(parameters), "fc1.weight");
  const auto before = parameters[0].tensor.detach().clone();
  masks.apply(*sgd);
  EXPECT_EQ(masks.first_violation(parameters), std::nullopt);
  EXPECT_TRUE(at::equal(parameters[0].tensor, before * masks.mask(0)));
  EXPECT_TRUE(at::equal(sgd->memories()[0].of_parameters[0], masks.mask(0).to(at::kFloat)));
  EXPECT_TRUE(at::equal(sgd->memories()[0].of_parameters[1], at::ones({24})));  // a bias
  EXPECT_NEAR(masks.kept_fraction(), 0.5, 1e-3);
}

TEST(WeightMasks, NameTheParameterInWhichAPrunedWeightMoved) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  const auto masks = masks_of(parameters, magnitude_importances(*model), 0.5);
  const auto sgd = make_optimizer({}, model->parameters());
  masks.apply(*sgd);
  const auto place = masks.mask(4).logical_not().nonzero()[0];
  {
    const torch::NoGradGuard no_grad;
    parameters[4].tensor[place[0]][place[1]] = 1e-30;
  }
  EXPECT_EQ(masks.first_violation(parameters), "fc3.weight");
}

TEST(MaskSample, HoldsEveryWeightOfASmallModel) {
  const auto model = small_net();
  const auto a = random_masks(*model, 0.5, 1);
  const auto b = random_masks(*model, 0.5, 2);
  EXPECT_EQ(mask_sample(a).size(), 2080U / 4);
  EXPECT_DOUBLE_EQ(sample_overlap(mask_sample(a), mask_sample(b)), overlap(a, b));
  EXPECT_EQ(sample_overlap(mask_sample(a), mask_sample(a)), 1);
}

TEST(MaskSample, BringsTheLowestBitFirst) {
  const std::vector<Parameter> parameters{{"weight", at::zeros({1, 5}), true}};
  WeightMasks masks{parameters};
  masks.set_mask(0, at::tensor({1, 0, 0, 0, 1}).to(at::kBool).view({1, 5}));
  EXPECT_EQ(mask_sample(masks), "11");
}

TEST(MaskSample, EstimatesTheOverlapOfLargeMasks) {
  const auto model = small_net("resnet8");
  for (const double ratio : {0.3, 0.5, 0.9}) {
    const auto a = random_masks(*model, ratio, 1);
    const auto b = random_masks(*model, ratio, 2);
    EXPECT_EQ(mask_sample(a).size(), 4096U / 4);
    // The limit is three standard errors, by the formula that sample_overlap states.
    const double expected = overlap(a, b);
    const double weights = 4096 * 2 * (1 - ratio) / (1 + expected);
    EXPECT_NEAR(sample_overlap(mask_sample(a), mask_sample(b)), expected,
                3 * std::sqrt(expected * (1 - expected) / weights))
        << ratio;
  }
}

}  // namespace
}  // namespace pacbench::trainer
