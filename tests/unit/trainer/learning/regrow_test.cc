// Masks that prune small weights and regrow weights with large gradients.
#include "trainer/pruning/regrow.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/unit/trainer/learning/pruning_nets.h"
#include "trainer/pruning/threshold.h"

namespace pacbench::trainer {
namespace {

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
  const OneLayer layer{{9, 0.1F, 9, 0.2F, 9, 9, -0.5F, 0.3F}};
  EXPECT_EQ(layer.regrown_by(0.34), (std::vector<bool>{1, 0, 1, 0, 1, 1, 1, 1}))
      << "-1 and 2 go, the two zeros grow";
}

TEST(Regrow, LetsAWeightThatHasJustGoneComeBack) {
  const OneLayer layer{{9, 7, 9, 0.2F, 9, 9, -0.5F, 0.3F}};
  EXPECT_EQ(layer.regrown_by(0.34), (std::vector<bool>{1, 1, 1, 0, 1, 1, 1, 0}));
}

TEST(Regrow, ChangesNothingForAShareOfLessThanOneWeight) {
  const OneLayer layer{{9, 0, 9, 0, 9, 9, 9, 9}};
  EXPECT_EQ(layer.regrown_by(0.1), (std::vector<bool>{1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(Regrow, KeepsAsManyWeightsInEveryLayer) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  for (const auto& parameter : parameters) {
    parameter.tensor.mutable_grad() = torch::rand_like(parameter.tensor);
  }
  const auto before = masks_of(parameters, magnitude_importances(*model), 0.5);
  const auto after = regrown(before, parameters, 0.3);
  EXPECT_FALSE(at::equal(flat(before), flat(after)));
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!before.mask(i).defined()) continue;
    EXPECT_EQ(after.mask(i).sum().item<int>(), before.mask(i).sum().item<int>()) << i;
  }
}

}  // namespace
}  // namespace pacbench::trainer
