#include "trainer/pruning/hessian.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/torch.h>

#include "tests/unit/trainer/learning/pruning_nets.h"
#include "trainer/pruning/scoring_copy.h"
#include "trainer/pruning/threshold.h"

namespace pacbench::trainer {
namespace {

const PruningPlan kDifferences{.hessian = "differences"};

/// f = w'Aw / 2 + b'w with A = [2 1; 1 3], b = [1 -1], at w = [1 2]; w lies in two tensors and f is
/// a sum of two parts. By hand: g = Aw + b = [5 6], H g = A g = [16 23].
struct Quadratic {
  std::vector<at::Tensor> weights{at::full({}, 1, at::kDouble).requires_grad_(),
                                  at::full({}, 2, at::kDouble).requires_grad_()};
  LossInParts loss{2, [this](std::int64_t part) {
                     const auto& x = weights[0];
                     const auto& y = weights[1];
                     return part == 0 ? x * x + x * y / 2 : x * y / 2 + 1.5 * y * y + x - y;
                   }};
};

TEST(HessianTimesGradient, IsWhatOneComputesByHandForAQuadratic) {
  const Quadratic quadratic;
  const auto product = hessian_times_gradient(quadratic.loss, quadratic.weights);
  EXPECT_EQ(product[0].item<double>(), 16);
  EXPECT_EQ(product[1].item<double>(), 23);
}

TEST(HessianTimesGradient, OfAQuadraticComesFromDifferencesToo) {
  const Quadratic quadratic;
  const auto product = hessian_times_gradient_by_differences(quadratic.loss, quadratic.weights);
  EXPECT_NEAR(product[0].item<double>(), 16, 16e-6);
  EXPECT_NEAR(product[1].item<double>(), 23, 23e-6);
  EXPECT_EQ(quadratic.weights[0].item<double>(), 1);
  EXPECT_EQ(quadratic.weights[1].item<double>(), 2);
}

TEST(HessianTimesGradient, IsZeroWhereTheGradientIs) {
  const std::vector<at::Tensor> weights{at::zeros({3}, at::kDouble).requires_grad_()};
  const LossInParts loss{1, [&](std::int64_t) { return weights[0].square().sum(); }};
  EXPECT_TRUE(at::equal(hessian_times_gradient_by_differences(loss, weights)[0],
                        at::zeros_like(weights[0])));
}

/// H g by differences, of f = w^2 / 2 + relu(w - kink) at w = 1. For a kink above 1 it is 1, when
/// the differences do not reach the kink.
std::vector<at::Tensor> product_beside_a_kink(double kink) {
  const std::vector<at::Tensor> weights{at::ones({}, at::kDouble).requires_grad_()};
  const LossInParts loss{
      1, [&](std::int64_t) { return weights[0].square() / 2 + at::relu(weights[0] - kink); }};
  return hessian_times_gradient_by_differences(loss, weights);
}

TEST(HessianTimesGradient, ByDifferencesTakesAStepThatSwitchesNoReLU) {
  EXPECT_NEAR(product_beside_a_kink(1 + 3e-10)[0].item<double>(), 1, 1e-4);
}

TEST(HessianTimesGradient, ByDifferencesIsRefusedWhereEveryStepSwitchesAReLU) {
  EXPECT_THROW(product_beside_a_kink(1), std::runtime_error);
}

TEST(HessianTimesGradient, RefusesDifferencesInSinglePrecision) {
  const std::vector<at::Tensor> weights{at::ones({3}).requires_grad_()};
  const LossInParts loss{1, [&](std::int64_t) { return weights[0].square().sum(); }};
  EXPECT_THROW(hessian_times_gradient_by_differences(loss, weights), std::logic_error);
}

TEST(GraspByDifferences, IsTheExactOneOfASmoothNet) {
  torch::manual_seed(4);
  const auto net = std::make_shared<TanhNet>();
  const auto batch = digits()->balanced_batch(1, 25);
  const auto ours = grasp_importances(*net, batch, kDifferences);
  net->to(at::kDouble);
  EXPECT_LT(relative_error(ours, grasp_importances(*net, batch)), 1e-6);
}

TEST(GraspByDifferences, KeepsWhatTheExactOneKeepsOfNetsWithReLU) {
  for (const auto* name : {"mlp", "resnet8"}) {
    const auto model = small_net(name);
    const auto batch = digits()->balanced_batch(1, 10);
    const auto ours = grasp_importances(*model, batch, kDifferences);
    model->to(at::kDouble);
    const auto exact = grasp_importances(*model, batch);
    const auto parameters = parameters_of(*model);
    EXPECT_LT(relative_error(ours, exact), 1e-5) << name;
    EXPECT_GT(same_share(masks_of(parameters, ours, 0.5), masks_of(parameters, exact, 0.5)), 0.9999)
        << name;
  }
}

TEST(ScoringCopy, GivesTheModelItsOwnMemoryBack) {
  const auto model = small_net("resnet8");
  model->eval();
  std::vector<void*> before;
  for (const auto& tensor : model->parameters()) before.push_back(tensor.data_ptr());
  {
    const ScoringCopy copy{*model, at::kDouble};
    EXPECT_TRUE(model->is_training());
    EXPECT_EQ(model->parameters()[0].scalar_type(), at::kDouble);
    EXPECT_NE(model->parameters()[0].data_ptr(), before[0]);
  }
  EXPECT_FALSE(model->is_training());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(model->parameters()[i].data_ptr(), before[i]);
    EXPECT_EQ(model->parameters()[i].scalar_type(), at::kFloat);
  }
}

TEST(ScoringCopy, LeavesHooksOnGradientsInPlace) {
  const auto model = small_net();
  const auto batch = digits()->balanced_batch(1, 2);
  int ready = 0;
  // Hooks into the nodes and keeps them, as Reducer does.
  std::vector<std::shared_ptr<torch::autograd::Node>> nodes;
  for (const auto& tensor : model->parameters()) {
    nodes.push_back(torch::autograd::impl::grad_accumulator(tensor));
    nodes.back()->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
        [&](const auto& outputs, const auto&) {
          ++ready;
          return outputs;
        }));
  }
  grasp_importances(*model, batch, kDifferences);
  EXPECT_EQ(ready, 0);
  torch::nn::functional::cross_entropy(model->forward(batch.inputs), batch.labels).backward();
  EXPECT_EQ(ready, static_cast<int>(nodes.size()));
}

}  // namespace
}  // namespace pacbench::trainer
