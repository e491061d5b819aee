#include "trainer/pruning/threshold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "tests/unit/trainer/learning/pruning_nets.h"

namespace pacbench::trainer {
namespace {

using ::testing::HasSubstr;

std::int64_t removed_from(const WeightMasks& masks) { return masks.prunable() - masks.kept(); }

std::int64_t share_of(double ratio, std::int64_t count) {
  return std::llround(ratio * static_cast<double>(count));
}

/// Importances of which the first layer's are large and all others are tiny.
Importances only_the_first_matters(const std::vector<Parameter>& parameters) {
  auto importances = random_importances(*small_net("resnet8"), 1);
  for (std::size_t i = 1; i < parameters.size(); ++i) {
    if (parameters[i].prunable) importances[i] *= 1e-6;
  }
  return importances;
}

TEST(Threshold, RemovesExactlyTheRatio) {
  const auto model = small_net("resnet8");
  const auto parameters = parameters_of(*model);
  const auto importances = magnitude_importances(*model);
  for (const double ratio : {0.1, 0.3, 0.5, 0.8, 0.95}) {
    const auto masks = masks_of(parameters, importances, ratio);
    EXPECT_EQ(removed_from(masks), share_of(ratio, masks.prunable())) << ratio;
  }
}

TEST(Threshold, RemovesExactlyTheRatioWhenAllWeightsMatterEqually) {
  const auto parameters = parameters_of(*small_net());
  Importances equal;
  for (const auto& parameter : parameters) {
    equal.push_back(parameter.prunable ? at::ones(parameter.tensor.sizes()) : at::Tensor{});
  }
  const auto masks = masks_of(parameters, equal, 0.5);
  EXPECT_EQ(masks.kept() * 2, masks.prunable());
}

TEST(Threshold, RemovesTheLeastImportantWeightsOfTheWholeModel) {
  const auto model = small_net();
  const auto sizes = magnitude_importances(*model);
  const auto kept = flat(masks_of(parameters_of(*model), sizes, 0.5));
  EXPECT_GE(flat(sizes).masked_select(kept).min().item<float>(),
            flat(sizes).masked_select(kept.logical_not()).max().item<float>());
}

TEST(Threshold, LeavesEveryLayerItsFloor) {
  const auto parameters = parameters_of(*small_net("resnet8"));
  const auto masks = masks_of(parameters, only_the_first_matters(parameters), 0.95);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    const auto& weights = parameters[i].tensor;
    EXPECT_GE(masks.mask(i).sum().item<std::int64_t>(),
              std::max(weights.numel() / 100, weights.numel() / weights.size(0)))
        << parameters[i].name;
  }
  EXPECT_TRUE(masks.mask(0).all().item<bool>());
}

TEST(Threshold, OfEachLayerRemovesTheRatioFromEachThatMayLoseSoMuch) {
  const auto parameters = parameters_of(*small_net("resnet8"));
  const auto importances = only_the_first_matters(parameters);
  for (const double ratio : {0.5, 0.95}) {
    const auto masks = masks_of(parameters, importances, ratio, {}, ShareOf::kEachLayer);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].prunable) continue;
      const auto kept = masks.mask(i);
      const auto size = kept.numel();
      EXPECT_EQ(size - kept.sum().item<std::int64_t>(),
                std::min(share_of(ratio, size), size - layer_floor(parameters[i].tensor)))
          << parameters[i].name;
      EXPECT_GE(importances[i].masked_select(kept).min().item<float>(),
                importances[i].masked_select(kept.logical_not()).max().item<float>());
    }
  }
}

TEST(Threshold, RefusesARatioThatTheFloorsDoNotAllow) {
  const auto parameters = parameters_of(*small_net());
  try {
    masks_of(parameters, magnitude_importances(*small_net()), 0.999);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("/method/pruning_ratio: found 0.999, which removes 2078 of 2080 weights"));
    EXPECT_THAT(error.what(), HasSubstr("104 weights over all layers; expected at most 0.9500"));
  }
}

TEST(Threshold, RefusesImportancesThatAreNotNumbers) {
  const auto model = small_net();
  for (const double value : {std::nan(""), HUGE_VAL}) {
    auto importances = magnitude_importances(*model);
    importances[2][0][0] = value;
    EXPECT_THROW(masks_of(parameters_of(*model), importances, 0.5), std::runtime_error);
  }
}

TEST(Threshold, RemovesWhatIsPrunedAlreadyHoweverMuchItMatters) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  const auto importances = magnitude_importances(*model);
  auto reversed = importances;
  for (auto& values : reversed) {
    if (values.defined()) values = -values;
  }
  const auto before = masks_of(parameters, importances, 0.3);
  const auto after = masks_of(parameters, reversed, 0.6, before);
  EXPECT_EQ(removed_from(after), share_of(0.6, after.prunable()));
  EXPECT_FALSE(flat(after).logical_and(flat(before).logical_not()).any().item<bool>());
}

TEST(Threshold, RefusesToBringWeightsBack) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  const auto importances = magnitude_importances(*model);
  const auto before = masks_of(parameters, importances, 0.6);
  EXPECT_THROW(masks_of(parameters, importances, 0.5, before), std::logic_error);
}

}  // namespace
}  // namespace pacbench::trainer
