#include "trainer/pruning/weight_masks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "contract/result/mask_overlap.h"
#include "tests/unit/trainer/learning/pruning_nets.h"
#include "trainer/pruning/prune.h"

namespace pacbench::trainer {
namespace {

WeightMasks random_masks(const Model& model, double ratio, std::int64_t seed) {
  return masks_of(parameters_of(model), random_importances(parameters_of(model), seed), ratio);
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

TEST(WeightMasks, ZeroWeightsAndMomentumAloneAndSeeAPrunedWeightMove) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  const auto sgd = make_optimizer({.momentum = 0.9}, model->parameters());
  for (auto& weights : model->parameters()) weights.mutable_grad() = at::ones_like(weights);
  sgd->step(0.01);
  const auto masks = masks_of(parameters, magnitude_importances(parameters_of(*model)), 0.5);
  EXPECT_EQ(masks.first_violation(parameters), "fc1.weight");
  const auto before = parameters[0].tensor.detach().clone();
  masks.apply(*sgd);
  EXPECT_EQ(masks.first_violation(parameters), std::nullopt);
  EXPECT_TRUE(at::equal(parameters[0].tensor, before * masks.mask(0)));
  EXPECT_TRUE(at::equal(sgd->memories()[0].of_parameters[0], masks.mask(0).to(at::kFloat)));
  EXPECT_TRUE(at::equal(sgd->memories()[0].of_parameters[1], at::ones({24})));  // a bias
  EXPECT_NEAR(masks.kept_fraction(), 0.5, 1e-3);
  const auto place = masks.mask(4).logical_not().nonzero()[0];
  const torch::NoGradGuard no_grad;
  parameters[4].tensor[place[0]][place[1]] = 1e-30;
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

TEST(Threshold, RemovesExactlyTheRatioOfEqualImportances) {
  const auto model = small_net("resnet8");
  auto equal = magnitude_importances(parameters_of(*model));
  for (auto& values : equal) {
    if (values.defined()) values = at::ones_like(values);
  }
  const auto masks = masks_of(parameters_of(*model), equal, 0.5);
  EXPECT_EQ(masks.kept() * 2, masks.prunable());
}

TEST(Threshold, LeavesEveryLayerItsFloor) {
  const auto parameters = parameters_of(*small_net("resnet8"));
  // The first layer's importances are large and all others are tiny.
  auto importances = random_importances(parameters_of(*small_net("resnet8")), 1);
  for (std::size_t i = 1; i < parameters.size(); ++i) {
    if (parameters[i].prunable) importances[i] *= 1e-6;
  }
  const auto masks = masks_of(parameters, importances, 0.95);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    const auto& weights = parameters[i].tensor;
    EXPECT_GE(masks.mask(i).sum().item<std::int64_t>(),
              std::max(weights.numel() / 100, weights.numel() / weights.size(0)))
        << parameters[i].name;
  }
  EXPECT_TRUE(masks.mask(0).all().item<bool>());
}

TEST(Threshold, RefusesARatioThatTheFloorsDoNotAllow) {
  const auto parameters = parameters_of(*small_net());
  EXPECT_THAT(
      [&] { masks_of(parameters, magnitude_importances(parameters_of(*small_net())), 0.999); },
      ::testing::ThrowsMessage<ConfigError>(::testing::AllOf(
          ::testing::HasSubstr("found 0.999, which removes 2078 of 2080 weights"),
          ::testing::HasSubstr("104 weights over all layers; expected at most 0.9500"))));
}

TEST(Threshold, RefusesImportancesThatAreNotNumbers) {
  const auto model = small_net();
  for (const double value : {std::nan(""), HUGE_VAL}) {
    auto importances = magnitude_importances(parameters_of(*model));
    importances[2][0][0] = value;
    EXPECT_THROW(masks_of(parameters_of(*model), importances, 0.5), std::runtime_error);
  }
}

TEST(Threshold, BringsNothingBackHoweverMuchItMatters) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  const auto importances = magnitude_importances(parameters_of(*model));
  auto reversed = importances;
  for (auto& values : reversed) {
    if (values.defined()) values = -values;
  }
  const auto before = masks_of(parameters, importances, 0.3);
  const auto after = masks_of(parameters, reversed, 0.6, before);
  EXPECT_EQ(after.kept(), 832) << "of 2080";
  EXPECT_FALSE(flat(after).logical_and(flat(before).logical_not()).any().item<bool>());
  EXPECT_THROW(masks_of(parameters, importances, 0.5, after), std::logic_error);
}

}  // namespace
}  // namespace pacbench::trainer
