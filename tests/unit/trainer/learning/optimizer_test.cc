// Compares optimisers with torch's own, or with the plain formula where torch has none.
#include "trainer/training/optimizer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace pacbench::trainer::test {
namespace {

/// Expects that our optimiser and torch's make the same steps along the same gradients.
template <class Reference, class Options>
void expect_same_steps(const Optimizer& options, const Options& reference_options) {
  torch::manual_seed(1);
  auto ours = torch::randn({5, 7}).requires_grad_();
  auto theirs = ours.detach().clone().requires_grad_();
  const auto optimizer = make_optimizer(options, {ours});
  Reference reference{{theirs}, reference_options};
  for (int i = 0; i < 4; ++i) {
    const auto gradient = torch::randn({5, 7});
    ours.mutable_grad() = gradient.clone();
    theirs.mutable_grad() = gradient.clone();
    optimizer->step(0.1);
    reference.step();
    EXPECT_TRUE(at::allclose(ours, theirs, 1e-5, 1e-6)) << options.name << ", step " << i;
  }
}

TEST(WeightOptimizer, StepsAsTorchsOwn) {
  expect_same_steps<torch::optim::SGD>(
      {.momentum = 0.9, .weight_decay = 0.01},
      torch::optim::SGDOptions{0.1}.momentum(0.9).weight_decay(0.01));
  expect_same_steps<torch::optim::Adam>(
      {.name = "adam", .beta2 = 0.99, .weight_decay = 0.1},
      torch::optim::AdamOptions{0.1}.betas({0.9, 0.99}).weight_decay(0.1));
  expect_same_steps<torch::optim::AdamW>(
      {.name = "adamw", .eps = 1e-3, .weight_decay = 0.1},
      torch::optim::AdamWOptions{0.1}.eps(1e-3).weight_decay(0.1));
}

TEST(WeightOptimizer, LionGoesOneRateAlongTheSignOfMomentumAndGradient) {
  auto weights = torch::tensor({1.0F, 1.0F, 1.0F}).requires_grad_();
  const auto lion =
      make_optimizer({.name = "lion", .beta1 = 0.5, .beta2 = 0.9, .weight_decay = 1}, {weights});
  const auto step = [&](std::vector<float> gradient) {
    weights.mutable_grad() = torch::tensor(gradient);
    lion->step(0.1);
    return weights.detach().clone();
  };
  EXPECT_TRUE(at::allclose(step({2, -3, 0}), torch::tensor({0.8F, 1.0F, 0.9F})));
  // Momentum is now a tenth of the gradients: 0.2, -0.3, 0.
  EXPECT_TRUE(at::allclose(step({-0.1F, 0.4F, 0}), torch::tensor({0.62F, 0.8F, 0.81F})));
}

TEST(WeightOptimizer, KeepsGradientsThatAreViewsOfABucket) {
  auto bucket = at::ones({6});
  auto weights = at::zeros({2, 3}).requires_grad_();
  weights.mutable_grad() = bucket.view({2, 3});
  const auto sgd = make_optimizer({}, {weights});
  sgd->step(1);
  EXPECT_TRUE(at::equal(weights, -at::ones({2, 3})));
  sgd->zero_gradients();
  EXPECT_TRUE(at::equal(bucket, at::zeros({6})));
  EXPECT_EQ(weights.grad().data_ptr(), bucket.data_ptr());
}

TEST(WeightOptimizer, RefusesANameThatItDoesNotKnow) {
  EXPECT_THROW(make_optimizer({.name = "sgdd"}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::trainer::test
