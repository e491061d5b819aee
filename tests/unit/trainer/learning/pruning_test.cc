#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <numeric>

#include "trainer/pruning/importance.h"
#include "trainer/pruning/prune.h"
#include "trainer/pruning/threshold.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const Dataset> digits() {
  return load_dataset({"digits", {{"transform", "none"}}}, "");
}

std::shared_ptr<Model> small_net(const std::string& name = "mlp") {
  return make_model({name, {{"hidden", {24, 16}}}}, dataset_info("digits"), 3);
}

/// The gradient of the loss that GraSP looks at, over the whole batch at once.
std::vector<at::Tensor> gradient(Model& model, const Batch& batch,
                                 const std::vector<at::Tensor>& weights) {
  const auto images = batch.images.to(weights.front().scalar_type());
  const auto loss = torch::nn::functional::cross_entropy(model.forward(images) / 200, batch.labels);
  return torch::autograd::grad({loss}, weights);
}

/// w · (H g) from the difference of two gradients a tiny step apart: another way to H g than the
/// one under test, exact as long as no ReLU switches between the two points.
Importances importances_by_differences(Model& model, const Batch& batch, double step_norm) {
  const EvaluationMode evaluation_mode{model};
  const auto parameters = parameters_of(model);
  std::vector<at::Tensor> weights;
  for (const auto& parameter : parameters) {
    if (parameter.prunable) weights.push_back(parameter.tensor);
  }
  const auto direction = gradient(model, batch, weights);
  double squares = 0;
  for (const auto& part : direction) squares += part.square().sum().item<double>();
  const double step = step_norm / std::sqrt(squares);
  const auto move = [&](double by) {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i].add_(direction[i], by);
  };
  move(step);
  const auto ahead = gradient(model, batch, weights);
  move(-2 * step);
  const auto behind = gradient(model, batch, weights);
  move(step);
  Importances importances;
  std::size_t next = 0;
  for (const auto& parameter : parameters) {
    auto& values = importances.emplace_back();
    if (!parameter.prunable) continue;
    const auto product = (ahead[next] - behind[next]) / (2 * step);
    values = (parameter.tensor.detach() * product).to(at::kFloat);
    ++next;
  }
  return importances;
}

at::Tensor flat(const Importances& importances) {
  std::vector<at::Tensor> parts;
  for (const auto& part : importances) {
    if (part.defined()) parts.push_back(part.detach().flatten());
  }
  return at::cat(parts);
}

at::Tensor flat(const WeightMasks& masks) {
  Importances parts;
  for (std::size_t i = 0; i < masks.size(); ++i) parts.push_back(masks.mask(i));
  return flat(parts);
}

TEST(Grasp, KeepsWhatScoresFromDifferencesOfGradientsKeep) {
  const auto model = small_net();
  model->to(at::kDouble);
  const auto batch = digits()->balanced_batch(1, 25);
  const auto reference = importances_by_differences(*model, batch, 1e-6);
  const auto ours = grasp_importances(*model, batch);
  const auto error = (flat(ours) - flat(reference)).norm() / flat(reference).norm();
  EXPECT_LT(error.item<double>(), 1e-4);
  const auto parameters = parameters_of(*model);
  const auto differing =
      flat(masks_of(parameters, ours, 0.5)).ne(flat(masks_of(parameters, reference, 0.5)));
  // Only weights whose score lies at the threshold may change sides.
  EXPECT_LT(differing.sum().item<int>(), 5);
}

TEST(Grasp, SinglePrecisionIsEnough) {
  for (const auto* name : {"mlp", "resnet8"}) {
    const auto model = small_net(name);
    const auto batch = digits()->balanced_batch(1, 25);
    const auto single = grasp_importances(*model, batch);
    model->to(at::kDouble);
    const auto exact = grasp_importances(*model, batch);
    const auto parameters = parameters_of(*model);
    const auto same =
        flat(masks_of(parameters, single, 0.5)).eq(flat(masks_of(parameters, exact, 0.5)));
    const auto share = same.to(at::kFloat).mean().item<double>();
    RecordProperty(std::string{name} + "_same", std::to_string(share));
    EXPECT_GT(share, 0.99) << name;
  }
}

TEST(Grasp, RemovesTheWeightsWithoutWhichTheGradientIsLargest) {
  // One linear layer whose loss is smooth: removing the half that GraSP removes must leave a
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
        model->forward(batch.images.to(at::kDouble)) / 200, batch.labels);
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

TEST(Magnitude, KeepsTheLargestWeightsOfTheWholeModel) {
  const auto model = small_net();
  const auto masks = choose_masks(*model, *digits(), {.score = "magnitude"}, 0.5, {}, 1);
  const auto kept = flat(masks);
  const auto sizes = flat(magnitude_importances(*model));
  EXPECT_GE(sizes.masked_select(kept).min().item<float>(),
            sizes.masked_select(kept.logical_not()).max().item<float>());
}

TEST(RandomPruning, DependsOnTheSeedAndNotOnTorchsGenerator) {
  const auto model = small_net();
  const auto masks_for = [&](std::int64_t seed) {
    return choose_masks(*model, *digits(), {.score = "random"}, 0.5, {}, seed).pack();
  };
  torch::manual_seed(1);
  const auto first = masks_for(7);
  torch::manual_seed(2);
  EXPECT_TRUE(at::equal(first, masks_for(7)));
  EXPECT_FALSE(at::equal(first, masks_for(8)));
}

TEST(Pruning, RefusesAnUnknownScore) {
  EXPECT_THROW(choose_masks(*small_net(), *digits(), {.score = "luck"}, 0.5, {}, 1), ConfigError);
}

TEST(Pruning, RemovesExactlyTheRatio) {
  const auto model = small_net("resnet8");
  const auto parameters = parameters_of(*model);
  const auto importances = magnitude_importances(*model);
  for (const double ratio : {0.1, 0.3, 0.5, 0.8, 0.95}) {
    const auto masks = masks_of(parameters, importances, ratio);
    EXPECT_EQ(masks.prunable() - masks.kept(),
              std::llround(ratio * static_cast<double>(masks.prunable())))
        << ratio;
  }
}

TEST(Pruning, RemovesExactlyTheRatioWhenAllWeightsMatterEqually) {
  const auto parameters = parameters_of(*small_net());
  Importances equal;
  for (const auto& parameter : parameters) {
    equal.push_back(parameter.prunable ? at::ones(parameter.tensor.sizes()) : at::Tensor{});
  }
  const auto masks = masks_of(parameters, equal, 0.5);
  EXPECT_EQ(masks.kept() * 2, masks.prunable());
}

TEST(Pruning, LeavesEveryLayerItsFloor) {
  const auto parameters = parameters_of(*small_net("resnet8"));
  Importances only_the_first_matters;
  for (const auto& parameter : parameters) {
    only_the_first_matters.push_back(parameter.prunable ? at::rand(parameter.tensor.sizes())
                                                        : at::Tensor{});
  }
  for (auto& part : only_the_first_matters) {
    if (part.defined() && part.data_ptr() != only_the_first_matters[0].data_ptr()) part *= 1e-6;
  }
  const auto masks = masks_of(parameters, only_the_first_matters, 0.95);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    const auto& weights = parameters[i].tensor;
    EXPECT_GE(masks.mask(i).sum().item<std::int64_t>(),
              std::max(weights.numel() / 100, weights.numel() / weights.size(0)))
        << parameters[i].name;
  }
  EXPECT_TRUE(masks.mask(0).all().item<bool>());
}

TEST(Pruning, RefusesARatioThatTheFloorsDoNotAllow) {
  const auto parameters = parameters_of(*small_net());
  try {
    masks_of(parameters, magnitude_importances(*small_net()), 0.999);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/method/pruning_ratio: found 0.999"));
    EXPECT_THAT(error.what(), HasSubstr("104 of 2080 weights; expected at most 0.9500"));
  }
}

TEST(Pruning, RefusesImportancesThatAreNotNumbers) {
  const auto model = small_net();
  auto importances = magnitude_importances(*model);
  importances[2][0][0] = std::nan("");
  EXPECT_THROW(masks_of(parameters_of(*model), importances, 0.5), std::runtime_error);
}

TEST(WeightMasks, SurviveBeingPacked) {
  const auto model = small_net("resnet8");
  const auto masks = choose_masks(*model, *digits(), {.score = "random"}, 0.37, {}, 1);
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
  Sgd sgd{model->parameters(), {.momentum = 0.9}};
  for (auto& weights : model->parameters()) weights.mutable_grad() = at::ones_like(weights);
  sgd.step(0.01);
  const auto masks = masks_of(parameters, magnitude_importances(*model), 0.5);
  EXPECT_EQ(masks.first_violation(parameters), "fc1.weight");
  const auto before = parameters[0].tensor.detach().clone();
  masks.apply(sgd);
  EXPECT_EQ(masks.first_violation(parameters), std::nullopt);
  EXPECT_TRUE(at::equal(parameters[0].tensor, before * masks.mask(0)));
  EXPECT_TRUE(at::equal(sgd.momentum_buffers()[0], masks.mask(0).to(at::kFloat)));
  EXPECT_TRUE(at::equal(sgd.momentum_buffers()[1], at::ones({24})));  // a bias
  EXPECT_NEAR(masks.kept_fraction(), 0.5, 1e-3);
}

TEST(WeightMasks, NameTheParameterInWhichAPrunedWeightMoved) {
  const auto model = small_net();
  const auto parameters = parameters_of(*model);
  const auto masks = masks_of(parameters, magnitude_importances(*model), 0.5);
  Sgd sgd{model->parameters(), {}};
  masks.apply(sgd);
  const auto place = masks.mask(4).logical_not().nonzero()[0];
  {
    const torch::NoGradGuard no_grad;
    parameters[4].tensor[place[0]][place[1]] = 1e-30;
  }
  EXPECT_EQ(masks.first_violation(parameters), "fc3.weight");
}

}  // namespace
}  // namespace pacbench
