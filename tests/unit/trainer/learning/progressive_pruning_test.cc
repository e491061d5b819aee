#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "tests/unit/trainer/learning/pruning_nets.h"
#include "trainer/pruning/prune.h"
#include "trainer/pruning/threshold.h"

namespace pacbench::trainer {
namespace {

TEST(CubicSchedule, PrunesMuchAtFirstAndReachesTheRatioExactly) {
  const PruningPlan plan{.ratio = 0.8, .steps = 4};
  EXPECT_DOUBLE_EQ(ratio_of_step(plan, 1), 0.8 * (1 - 27.0 / 64));
  EXPECT_DOUBLE_EQ(ratio_of_step(plan, 2), 0.8 * (1 - 1.0 / 8));
  EXPECT_DOUBLE_EQ(ratio_of_step(plan, 3), 0.8 * (1 - 1.0 / 64));
  EXPECT_EQ(ratio_of_step(plan, 4), 0.8);
  EXPECT_THROW(ratio_of_step(plan, 0), std::logic_error);
  EXPECT_THROW(ratio_of_step(plan, 5), std::logic_error);
}

TEST(CubicSchedule, OfOneStepIsTheRatio) { EXPECT_EQ(ratio_of_step({.ratio = 0.7}, 1), 0.7); }

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
  const auto share = [&](std::int64_t count) -> std::int64_t {
    return std::llround(ratio * static_cast<double>(count));
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    const auto size = parameters[i].tensor.numel();
    const auto kept = masks.mask(i).sum().item<std::int64_t>();
    const auto floor = layer_floor(parameters[i].tensor);
    EXPECT_GE(kept, floor) << parameters[i].name;
    if (per_layer) {
      EXPECT_EQ(kept, std::max(size - share(size), floor));
    }
  }
  if (!per_layer) {
    EXPECT_EQ(masks.prunable() - masks.kept(), share(masks.prunable()));
  }
}

/// Expects that each step removes exactly its share, brings no weight back, and leaves each layer
/// its floor.
void expect_progress(const PruningPlan& plan, Model& model) {
  const auto parameters = parameters_of(model);
  WeightMasks masks;
  for (std::int64_t step = 1; step <= plan.steps; ++step) {
    const double ratio = ratio_of_step(plan, step);
    const auto next = choose_masks(model, *digits(), plan, ratio, masks, step);
    expect_share_and_floors(next, parameters, ratio, plan.per_layer);
    if (!masks.empty()) {
      EXPECT_FALSE(flat(next).logical_and(flat(masks).logical_not()).any().item<bool>()) << step;
    }
    masks = next;
    train_a_little(parameters, step);
  }
}

TEST(ProgressivePruning, ByMagnitudeBringsNoWeightBackAndKeepsTheFloors) {
  expect_progress({.ratio = 0.95, .score = "magnitude", .steps = 6}, *small_net("resnet8"));
}

TEST(ProgressivePruning, OfEachLayerBringsNoWeightBackAndKeepsTheFloors) {
  expect_progress({.ratio = 0.95, .score = "magnitude", .per_layer = true, .steps = 6},
                  *small_net("resnet8"));
}

TEST(ProgressivePruning, AtRandomBringsNoWeightBackAndKeepsTheFloors) {
  expect_progress({.ratio = 0.9, .score = "random", .steps = 4}, *small_net("resnet8"));
}

TEST(ProgressivePruning, ByGraspBringsNoWeightBackAndKeepsTheFloors) {
  expect_progress({.ratio = 0.8, .score = "grasp", .normalize = "l2", .steps = 3}, *small_net());
}

TEST(ProgressivePruning, IsRefusedBeforeTheFirstStepWhenTheLastCannotBe) {
  const PruningPlan plan{.ratio = 0.999, .score = "random", .steps = 10};
  EXPECT_THROW(choose_masks(*small_net(), *digits(), plan, ratio_of_step(plan, 1), {}, 1),
               ConfigError);
}

}  // namespace
}  // namespace pacbench::trainer
