// Masks that prune at once, in steps, or small weights while weights with large gradients regrow.
#include "trainer/pruning/prune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "tests/unit/trainer/learning/pruning_nets.h"

namespace pacbench::trainer {
namespace {

WeightMasks chosen(Model& model, const Dataset& dataset, const PruningPlan& plan, double ratio,
                   const WeightMasks& present, std::int64_t seed) {
  return choose_masks(parameters_of(model), importances_of(model, dataset, plan, seed), plan, ratio,
                      present);
}

TEST(Pruning, ByMagnitudeKeepsTheLargestWeightsOfTheWholeModel) {
  const auto model = small_net();
  const auto kept = flat(chosen(*model, *digits(), {.score = "magnitude"}, 0.5, {}, 1));
  const auto sizes = flat(magnitude_importances(parameters_of(*model)));
  EXPECT_GE(sizes.masked_select(kept).min().item<float>(),
            sizes.masked_select(kept.logical_not()).max().item<float>());
}

TEST(Pruning, AtRandomDependsOnTheSeedAndNotOnTorchsGenerator) {
  const auto model = small_net();
  const auto masks_for = [&](std::int64_t seed) {
    return chosen(*model, *digits(), {.score = "random"}, 0.5, {}, seed).pack();
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
  const auto masks = chosen(*model, *data, {.batches = 2}, 0.5, {}, 9);
  EXPECT_EQ(same_share(masks, masks_of(parameters_of(*model), mean, 0.5)), 1);
}

TEST(Pruning, WithANormDoesNotHeedTheScaleOfALayer) {
  const auto model = small_net();
  const auto scaled = small_net();
  {
    const torch::NoGradGuard no_grad;
    parameters_of(*scaled)[2].tensor.mul_(1024);  // a power of two: not a bit is rounded
  }
  const auto share_of_same_masks = [&](const std::string& norm) {
    const PruningPlan plan{.score = "magnitude", .normalize = norm};
    return same_share(chosen(*model, *digits(), plan, 0.5, {}, 1),
                      chosen(*scaled, *digits(), plan, 0.5, {}, 1));
  };
  EXPECT_LT(share_of_same_masks("none"), 0.95);
  EXPECT_EQ(share_of_same_masks("l1"), 1);
  EXPECT_EQ(share_of_same_masks("l2"), 1);
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
  Importances zeros{at::zeros({2, 2}), at::Tensor{}};
  normalise(zeros, "l2", {});
  EXPECT_TRUE(at::equal(zeros[0], at::zeros({2, 2})));
}

TEST(Pruning, RefusesWordsThatAPlanMayNotHold) {
  const auto expect_message = [](const PruningPlan& plan, const std::string& message) {
    EXPECT_THAT([&] { chosen(*small_net(), *digits(), plan, 0.5, {}, 1); },
                ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr(message)));
  };
  expect_message({.score = "luck"}, "/method/score: found \"luck\", expected one of grasp");
  expect_message({.normalize = "l3"}, "/method/normalize: found \"l3\", expected none, l1 or l2");
  expect_message({.hessian = "guess"}, "/method/hessian: found \"guess\", expected exact");
}

TEST(CubicSchedule, PrunesMuchAtFirstAndReachesTheRatioExactly) {
  const PruningPlan plan{.ratio = 0.8, .steps = 4};
  EXPECT_DOUBLE_EQ(ratio_of_step(plan, 1), 0.8 * (1 - 27.0 / 64));
  EXPECT_DOUBLE_EQ(ratio_of_step(plan, 2), 0.8 * (1 - 1.0 / 8));
  EXPECT_DOUBLE_EQ(ratio_of_step(plan, 3), 0.8 * (1 - 1.0 / 64));
  EXPECT_EQ(ratio_of_step(plan, 4), 0.8);
  EXPECT_EQ(ratio_of_step({.ratio = 0.7}, 1), 0.7);
  EXPECT_THROW(ratio_of_step(plan, 0), std::logic_error);
  EXPECT_THROW(ratio_of_step(plan, 5), std::logic_error);
}

/// Changes weights between two pruning steps, as a training does that lets pruned weights move. So
/// any weight may become important.
void train_a_little(const std::vector<Parameter>& parameters, std::int64_t step) {
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : parameters) {
    auto tensor = parameter.tensor;
    const auto phase = at::arange(tensor.numel(), at::kFloat).view_as(tensor) + 7 * step;
    tensor.add_(at::sin(phase), 0.1);
  }
}

void expect_share_and_floors(const WeightMasks& masks, const std::vector<Parameter>& parameters,
                             double ratio, bool per_layer) {
  const auto left_of = [&](std::int64_t count) -> std::int64_t {
    return count - std::llround(ratio * static_cast<double>(count));
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    const auto kept = masks.mask(i).sum().item<std::int64_t>();
    const auto floor = layer_floor(parameters[i].tensor);
    const auto expected = std::max(left_of(parameters[i].tensor.numel()), floor);
    EXPECT_TRUE(per_layer ? kept == expected : kept >= floor) << parameters[i].name << ' ' << kept;
  }
  EXPECT_TRUE(per_layer || masks.kept() == left_of(masks.prunable())) << masks.kept();
}

/// Expects that each step removes exactly its share, brings no weight back, and leaves each layer
/// its floor.
void expect_progress(const PruningPlan& plan, Model& model) {
  const auto parameters = parameters_of(model);
  WeightMasks masks;
  for (std::int64_t step = 1; step <= plan.steps; ++step) {
    const double ratio = ratio_of_step(plan, step);
    const auto next = chosen(model, *digits(), plan, ratio, masks, step);
    expect_share_and_floors(next, parameters, ratio, plan.per_layer);
    if (!masks.empty()) {
      EXPECT_FALSE(flat(next).logical_and(flat(masks).logical_not()).any().item<bool>()) << step;
    }
    masks = next;
    train_a_little(parameters, step);
  }
}

TEST(ProgressivePruning, BringsNoWeightBackAndKeepsTheFloors) {
  const auto resnet = small_net("resnet8");
  expect_progress({.ratio = 0.95, .score = "magnitude", .steps = 6}, *resnet);
  expect_progress({.ratio = 0.95, .score = "magnitude", .per_layer = true, .steps = 6}, *resnet);
  expect_progress({.ratio = 0.9, .score = "random", .steps = 4}, *resnet);
  expect_progress({.ratio = 0.8, .score = "grasp", .normalize = "l2", .steps = 3}, *small_net());
}

TEST(ProgressivePruning, IsRefusedBeforeTheFirstStepWhenTheLastCannotBe) {
  const PruningPlan plan{.ratio = 0.999, .score = "random", .steps = 10};
  EXPECT_THROW(chosen(*small_net(), *digits(), plan, ratio_of_step(plan, 1), {}, 1), ConfigError);
}

/// One layer of eight weights, of which six are kept.
struct OneLayer {
  std::vector<Parameter> parameters{
      {"weight", torch::tensor({{5.F, -1.F, 4.F, 2.F}, {-3.F, 6.F, 0.F, 0.F}}), true}};
  WeightMasks masks{parameters};

  explicit OneLayer(std::vector<float> gradients) {
    parameters[0].tensor.mutable_grad() = torch::tensor(gradients).view({2, 4});
    masks.set_mask(0, torch::tensor({{1, 1, 1, 1}, {1, 1, 0, 0}}).to(at::kBool));
  }

  std::vector<bool> regrown_by(double share) const {
    const auto mask = regrown(masks, parameters, share).mask(0).flatten();
    const auto* kept = mask.data_ptr<bool>();
    return std::vector<bool>(kept, kept + mask.numel());
  }
};

TEST(Regrow, DropsTheSmallestWeightsAndGrowsWhereGradientsAreLargest) {
  using Kept = std::vector<bool>;
  const OneLayer zeros_have_the_largest{{9, 0.1F, 9, 0.2F, 9, 9, -0.5F, 0.3F}};
  EXPECT_EQ(zeros_have_the_largest.regrown_by(0.34), (Kept{1, 0, 1, 0, 1, 1, 1, 1}));
  const OneLayer one_comes_back{{9, 7, 9, 0.2F, 9, 9, -0.5F, 0.3F}};
  EXPECT_EQ(one_comes_back.regrown_by(0.34), (Kept{1, 1, 1, 0, 1, 1, 1, 0}));
  const OneLayer share_of_no_weight{{9, 0, 9, 0, 9, 9, 9, 9}};
  EXPECT_EQ(share_of_no_weight.regrown_by(0.1), (Kept{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(Regrow, KeepsAsManyWeightsInEveryLayer) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  for (const auto& parameter : parameters) {
    parameter.tensor.mutable_grad() = torch::rand_like(parameter.tensor);
  }
  const auto before = masks_of(parameters, magnitude_importances(parameters_of(*model)), 0.5);
  const auto after = regrown(before, parameters, 0.3);
  EXPECT_FALSE(at::equal(flat(before), flat(after)));
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!before.mask(i).defined()) continue;
    EXPECT_EQ(after.mask(i).sum().item<int>(), before.mask(i).sum().item<int>()) << i;
  }
}

}  // namespace
}  // namespace pacbench::trainer
