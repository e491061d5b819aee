#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/unit/trainer/learning/pruning_nets.h"
#include "trainer/pruning/threshold.h"

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

TEST(Grasp, RemovesTheWeightsWithoutWhichTheGradientIsLargest) {
  // In the first layer of a small perceptron, removing the half that GraSP removes must leave a
  // larger squared gradient than removing the half that it keeps.
  const auto model = make_model({"mlp", {{"hidden", {64}}}}, dataset_info("digits"), 5);
  model->to(at::kDouble);
  const auto batch = digits()->balanced_batch(2, 25);
  const auto parameters = parameters_of(*model);
  const auto importances = grasp_importances(*model, batch);
  const auto weight = parameters[0].tensor;
  const auto gradient_norm_without = [&](double sign) {
    const auto before = weight.detach().clone();
    {
      const torch::NoGradGuard no_grad;
      const auto ranking = importances[0] * sign;
      weight.masked_fill_(ranking.lt(ranking.median()), 0);
    }
    std::vector<at::Tensor> weights{parameters[0].tensor, parameters[2].tensor};
    const auto loss = torch::nn::functional::cross_entropy(
        model->forward(batch.inputs.to(at::kDouble)) / 200, batch.labels);
    double squares = 0;
    for (const auto& part : torch::autograd::grad({loss}, weights)) {
      squares += part.square().sum().item<double>();
    }
    const torch::NoGradGuard no_grad;
    weight.copy_(before);
    return squares;
  };
  EXPECT_GT(gradient_norm_without(+1), gradient_norm_without(-1));
}

TEST(Grasp, LeavesTheModelAsItWas) {
  const auto model = small_net("resnet8");
  model->train();
  std::vector<at::Tensor> before;
  for (const auto& tensor : model->parameters()) before.push_back(tensor.detach().clone());
  std::vector<at::Tensor> statistics;
  for (const auto& tensor : model->buffers()) statistics.push_back(tensor.clone());
  grasp_importances(*model, digits()->balanced_batch(1, 10));
  EXPECT_TRUE(model->is_training());
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    EXPECT_TRUE(at::equal(statistics[i], model->buffers()[i]));
  }
  const auto after = model->parameters();
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(at::equal(before[i], after[i]));
    EXPECT_FALSE(after[i].grad().defined());
  }
  EXPECT_TRUE(at::equal(model->named_buffers()["bn1.running_mean"], at::zeros({16})));
}

}  // namespace
}  // namespace pacbench::trainer
