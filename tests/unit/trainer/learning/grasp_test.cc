// GraSP's importances, and the products of Hessian and gradient that they are made of.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/torch.h>

#include "tests/unit/trainer/learning/pruning_nets.h"
#include "trainer/pruning/prune.h"

namespace pacbench::trainer {
namespace {

/// w · (H g) from one graph of the whole batch, without parts.
Importances importances_at_once(Model& model, const Batch& batch, double temperature) {
  const auto parameters = parameters_of(model);
  std::vector<at::Tensor> weights;
  for (const auto& parameter : parameters) {
    if (parameter.prunable) weights.push_back(parameter.tensor);
  }
  const auto logits = model.forward(batch.inputs.to(weights.front().scalar_type()));
  const auto loss = torch::nn::functional::cross_entropy(logits / temperature, batch.labels);
  const auto gradient = torch::autograd::grad({loss}, weights, {}, true, true);
  auto half_square = at::zeros({}, loss.options());
  for (const auto& part : gradient) half_square = half_square + part.square().sum() / 2;
  auto products = torch::autograd::grad({half_square}, weights);
  Importances importances;
  auto product = products.begin();
  for (const auto& parameter : parameters) {
    importances.push_back(parameter.prunable ? parameter.tensor * *product++ : at::Tensor{});
  }
  return importances;
}

TEST(Grasp, IsTheWeightTimesHessianTimesGradientOfTheSoftenedLoss) {
  const auto model = small_net();
  model->to(at::kDouble);
  const auto batch = digits()->balanced_batch(1, 25);
  for (const double temperature : {200, 2}) {
    const auto ours = grasp_importances(*model, batch, {.temperature = temperature});
    EXPECT_LT(relative_error(ours, importances_at_once(*model, batch, temperature)), 1e-6);
  }
  EXPECT_GT(relative_error(importances_at_once(*model, batch, 200),
                           importances_at_once(*model, batch, 2)),
            0.1);
}

TEST(Grasp, SinglePrecisionIsEnough) {
  for (const auto* name : {"mlp", "resnet8"}) {
    const auto model = small_net(name);
    const auto batch = digits()->balanced_batch(1, 25);
    const auto single = grasp_importances(*model, batch);
    model->to(at::kDouble);
    const auto exact = grasp_importances(*model, batch);
    const auto parameters = parameters_of(*model);
    const auto share =
        same_share(masks_of(parameters, single, 0.5), masks_of(parameters, exact, 0.5));
    RecordProperty(std::string{name} + "_same", std::to_string(share));
    EXPECT_GT(share, 0.999) << name;
  }
}

TEST(Grasp, LeavesTheModelAsItWas) {
  const auto model = small_net("resnet8");
  const auto untouched = small_net("resnet8");
  model->train();
  grasp_importances(*model, digits()->balanced_batch(1, 10));
  EXPECT_TRUE(model->is_training());
  for (std::size_t i = 0; i < model->buffers().size(); ++i) {
    EXPECT_TRUE(at::equal(model->buffers()[i], untouched->buffers()[i]));
  }
  for (std::size_t i = 0; i < model->parameters().size(); ++i) {
    EXPECT_TRUE(at::equal(model->parameters()[i], untouched->parameters()[i]));
    EXPECT_FALSE(model->parameters()[i].grad().defined());
  }
}

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
  const auto near = hessian_times_gradient_by_differences(quadratic.loss, quadratic.weights);
  EXPECT_NEAR(near[0].item<double>(), 16, 16e-6);
  EXPECT_NEAR(near[1].item<double>(), 23, 23e-6);
  EXPECT_EQ(quadratic.weights[0].item<double>(), 1);
  EXPECT_EQ(quadratic.weights[1].item<double>(), 2);
}

/// H g by differences, of f = w^2 / 2 + relu(w - kink). At w = 1 it is 1 for a kink above 1, when
/// the differences do not reach the kink.
double product_beside_a_kink(double kink, double weight, at::ScalarType type = at::kDouble) {
  const std::vector<at::Tensor> weights{at::full({}, weight, type).requires_grad_()};
  const LossInParts loss{
      1, [&](std::int64_t) { return weights[0].square() / 2 + at::relu(weights[0] - kink); }};
  return hessian_times_gradient_by_differences(loss, weights)[0].item<double>();
}

TEST(HessianTimesGradient, ByDifferencesTakesAStepThatSwitchesNoReLU) {
  EXPECT_NEAR(product_beside_a_kink(1 + 3e-10, 1), 1, 1e-4);
  EXPECT_EQ(product_beside_a_kink(1, 0), 0) << "no step where the gradient is zero";
  EXPECT_THROW(product_beside_a_kink(1, 1), std::runtime_error) << "every step switches it";
  EXPECT_THROW(product_beside_a_kink(2, 1, at::kFloat), std::logic_error);
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
