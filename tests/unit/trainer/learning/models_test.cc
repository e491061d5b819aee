#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "base/files.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/models/transformer.h"
#include "trainer/pruning/importance.h"
#include "trainer/rank/device.h"
#include "trainer/training/checkpoint.h"
#include "trainer/training/evaluator.h"
#include "trainer/training/optimizer.h"
#include "trainer/training/pretrain.h"

namespace pacbench::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Choice mlp(const std::vector<std::int64_t>& hidden) { return {"mlp", {{"hidden", hidden}}}; }

const Choice kSmallGpt{"char-gpt", {{"layers", 1}, {"width", 64}}};

std::shared_ptr<Model> small_gpt() {
  return make_model(kSmallGpt, dataset_info("tinyshakespeare"), 1);
}

bool same_weights(const Model& a, const Model& b) {
  const auto left = a.parameters();
  const auto right = b.parameters();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!at::equal(left[i], right[i])) return false;
  }
  return left.size() == right.size();
}

TEST(Models, WeightsDependOnTheSeedAloneAndNotOnTorchsGenerator) {
  const auto info = dataset_info("cifar10");
  torch::manual_seed(1);
  const auto first = make_model({"resnet8", {}}, info, 7);
  torch::manual_seed(2);
  EXPECT_TRUE(same_weights(*first, *make_model({"resnet8", {}}, info, 7)));
  EXPECT_FALSE(same_weights(*first, *make_model({"resnet8", {}}, info, 8)));
}

TEST(Models, WeightsHaveTheSpreadOfTheirInitialisation) {
  const auto model = make_model({"resnet18", {}}, dataset_info("cifar10"), 3);
  const auto parameters = model->named_parameters();
  const auto& conv = parameters["layer4.1.conv2.weight"];
  const double expected = std::sqrt(2.0 / (512 * 9));
  EXPECT_NEAR(conv.std().item<double>(), expected, 0.01 * expected);
  EXPECT_NEAR(conv.mean().item<double>(), 0, 0.01 * expected);
  const double bound = 1 / std::sqrt(512.0);
  EXPECT_LE(parameters["fc.weight"].abs().max().item<double>(), bound);
  EXPECT_GT(parameters["fc.weight"].abs().max().item<double>(), 0.98 * bound);
}

TEST(Models, RefuseAnUnknownNameAndSayWhatThereIs) {
  EXPECT_THAT(
      [] {
        make_model({"lenet", {}}, dataset_info("digits"), 1);
      },
      ThrowsMessage<ConfigError>(HasSubstr("\"lenet\", expected one of mlp, vgg19_bn")));
}

struct Size {
  Choice model;
  const char* dataset;
  std::int64_t parameters;
  double prunable_percent;
};

void PrintTo(const Size& size, std::ostream* out) {
  *out << size.model.name << size.model.options.dump() << " for " << size.dataset;
}

Choice gpt(int layers, int width) { return {"char-gpt", {{"layers", layers}, {"width", width}}}; }

class ModelSizes : public ::testing::TestWithParam<Size> {};

TEST_P(ModelSizes, HaveThePublishedNumberOfParametersAndClassifyABatch) {
  const auto info = dataset_info(GetParam().dataset);
  const auto model = make_model(GetParam().model, info, 1);
  double parameters = 0, prunable = 0;
  for (const auto& parameter : parameters_of(*model)) {
    const auto elements = static_cast<double>(parameter.tensor.numel());
    parameters += elements;
    if (parameter.prunable) prunable += elements;
  }
  EXPECT_EQ(parameters, GetParam().parameters);
  EXPECT_NEAR(100 * prunable / parameters, GetParam().prunable_percent, 0.005);
  const torch::NoGradGuard no_grad;
  auto shape = info.shape;
  shape.insert(shape.begin(), 2);
  const bool tokens = info.input == "tokens";
  const auto logits = model->forward(at::zeros(shape, tokens ? at::kLong : at::kFloat));
  EXPECT_EQ(logits.sizes(),
            (std::vector<std::int64_t>{tokens ? 2 * info.shape[0] : 2, info.classes}));
}

// resnet50's count is torchvision's 25557032 with ten classes in place of a thousand.
INSTANTIATE_TEST_SUITE_P(
    All, ModelSizes,
    ::testing::Values(Size{{"mlp", {{"hidden", {512, 512}}}}, "digits", 301066, 99.66},
                      Size{{"resnet8", {}}, "cifar10", 78042, 99.13},
                      Size{{"resnet20", {}}, "cifar10", 272474, 99.42},
                      Size{{"resnet8", {}}, "digits", 77754, 99.12},
                      Size{gpt(4, 192), "tinyshakespeare", 1829441, 97.40},
                      Size{gpt(6, 256), "tinyshakespeare", 4805185, 98.54},
                      Size{gpt(8, 512), "tinyshakespeare", 25352257, 99.40},
                      Size{{"resnet18", {}}, "cifar10", 11173962, 99.91},
                      Size{{"resnet18", {}}, "cifar100", 11220132, 99.91},
                      Size{{"vgg19_bn", {{"classifier", "one_fc"}}}, "cifar10", 20040522, 99.92},
                      Size{{"vgg19_bn", {{"classifier", "three_fc"}}}, "cifar10", 38958922, 99.94},
                      Size{{"resnet152", {}}, "cifar10", 58156618, 99.74},
                      Size{{"resnet50", {{"image_size", 224}}}, "cifar10", 23528522, 99.77},
                      Size{{"vit_b_16", {{"image_size", 224}}}, "cifar10", 85806346, 99.68},
                      Size{{"vit_b_16", {{"image_size", 224}}}, "cifar100", 85875556, 99.68},
                      Size{{"vit_b_16", {{"image_size", 32}}}, "cifar10", 85658890, 99.85},
                      Size{{"vit_b_4", {{"image_size", 32}}}, "cifar10", 85152010, 99.80}));

TEST(Checkpoint, BringsBackParametersAndBuffers) {
  const TemporaryFolder folder;
  const auto info = dataset_info("digits");
  const auto saved = make_model({"resnet8", {}}, info, 1);
  saved->forward(at::rand({4, 1, 8, 8}));  // moves the running statistics
  save_checkpoint(*saved, folder.path() + "/a.pt");
  const auto loaded = make_model({"resnet8", {}}, info, 2);
  load_checkpoint(*loaded, folder.path() + "/a.pt");
  EXPECT_TRUE(same_weights(*saved, *loaded));
  EXPECT_TRUE(at::equal(saved->named_buffers()["bn1.running_mean"],
                        loaded->named_buffers()["bn1.running_mean"]));
}

TEST(Checkpoint, NamesEveryTensorThatDoesNotFitAndChangesNothing) {
  const TemporaryFolder folder;
  const auto info = dataset_info("digits");
  save_checkpoint(*make_model(mlp({16, 12}), info, 1), folder.path() + "/a.pt");
  const auto model = make_model(mlp({16}), info, 2);
  EXPECT_THAT([&] { load_checkpoint(*model, folder.path() + "/a.pt"); },
              ThrowsMessage<ConfigError>(AllOf(
                  HasSubstr("a.pt: fc2.weight: found Float [12, 16], expected Float [10, 16]"),
                  HasSubstr("fc3.bias: found Float [10], but the model has no"))));
  EXPECT_TRUE(same_weights(*model, *make_model(mlp({16}), info, 2)));
}

TEST(Schedule, FollowsItsKind) {
  Optimizer optimizer;
  optimizer.lr = 0.1;
  EXPECT_EQ(learning_rate(optimizer, 77, 100), 0.1);
  optimizer.schedule = {"step", {10, 20}, 0.5};
  EXPECT_DOUBLE_EQ(learning_rate(optimizer, 10, 100), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(optimizer, 11, 100), 0.05);
  EXPECT_DOUBLE_EQ(learning_rate(optimizer, 21, 100), 0.025);
  optimizer.schedule = {"cosine", {}, 0.1};
  EXPECT_DOUBLE_EQ(learning_rate(optimizer, 1, 100), 0.1);
  EXPECT_NEAR(learning_rate(optimizer, 51, 100), 0.05, 1e-12);
  EXPECT_GT(learning_rate(optimizer, 100, 100), 0);
}

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

TEST(WeightOptimizer, KeepsGradientsThatAreViewsOfABucketAndRefusesAnUnknownName) {
  auto bucket = at::ones({6});
  auto weights = at::zeros({2, 3}).requires_grad_();
  weights.mutable_grad() = bucket.view({2, 3});
  const auto sgd = make_optimizer({}, {weights});
  sgd->step(1);
  EXPECT_TRUE(at::equal(weights, -at::ones({2, 3})));
  sgd->zero_gradients();
  EXPECT_TRUE(at::equal(bucket, at::zeros({6})));
  EXPECT_EQ(weights.grad().data_ptr(), bucket.data_ptr());
  EXPECT_THROW(make_optimizer({.name = "sgdd"}, {}), std::invalid_argument);
}

TEST(Evaluation, ChangesNothingAndSharesAddUp) {
  const auto digits = load_dataset({"digits", {{"transform", "none"}}}, "");
  const auto model = make_model({"resnet8", {}}, digits->info(), 1);
  model->train();
  const auto whole = evaluate(*model, *digits, digits->test());
  auto shares = evaluate(*model, *digits, digits->test(), 0, 300);
  shares += evaluate(*model, *digits, digits->test(), 300, digits->test().count() - 300);
  EXPECT_TRUE(model->is_training());
  EXPECT_EQ(whole.samples, 898);
  EXPECT_EQ(whole.correct, shares.correct);
  EXPECT_NEAR(whole.loss(), shares.loss(), 1e-5);
  EXPECT_TRUE(at::equal(model->named_buffers()["bn1.running_mean"], at::zeros({16})));
}

TEST(Attention, ThatCanBeDifferentiatedTwiceIsTheSame) {
  const torch::NoGradGuard no_grad;
  const auto model = small_gpt();
  const auto tokens = at::arange(256).remainder(65).view({2, 128});
  const auto fused = model->forward(tokens);
  const TwiceDifferentiable attention;
  EXPECT_TRUE(at::allclose(model->forward(tokens), fused, 1e-4, 1e-5));
}

TEST(Attention, IsScoredByGraspWithTheExactHessian) {
  const auto text = load_dataset({"tinyshakespeare", {}}, "");
  const auto model = small_gpt();
  const auto parameters = parameters_of(*model);
  const auto scores = grasp_importances(*model, text->balanced_batch(1, 2), {});
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    EXPECT_TRUE(scores[i].isfinite().all().item<bool>()) << parameters[i].name;
    EXPECT_TRUE(scores[i].ne(0).any().item<bool>()) << parameters[i].name;
  }
}

/// Trains on batches of `batch` samples with learning rate 0.1 and momentum 0.9.
void train_for(std::int64_t iterations, std::int64_t batch, Model& model, const Dataset& data) {
  const auto sgd = make_optimizer({.momentum = 0.9}, model.parameters());
  for (std::int64_t i = 1; i <= iterations; ++i) {
    const auto rows = data.training_batch({.seed = 1, .iteration = i, .batch_per_worker = batch});
    sgd->zero_gradients();
    const auto logits = model.forward(rows.inputs);
    torch::nn::functional::cross_entropy(logits, rows.labels.flatten()).backward();
    sgd->step(0.1);
  }
}

TEST(CharGpt, LearnsMoreThanHowOftenEachCharacterOccurs) {
  const auto text = load_dataset({"tinyshakespeare", {}}, "");
  const auto model = small_gpt();
  const auto before = evaluate(*model, *text, text->test(), 0, 4);
  EXPECT_EQ(before.samples, 4 * 128);
  EXPECT_NEAR(before.loss(), std::log(65.0), 0.5);
  train_for(60, 16, *model, *text);
  // The entropy of single characters is 3.31 nats.
  EXPECT_LT(evaluate(*model, *text, text->test(), 0, 50).loss(), 3.3);
}

class Pretraining : public ::testing::Test {
 protected:
  /// Writes the checkpoint. Returns the accuracy on what it was pre-trained for.
  double pretrained_for(const Choice& dataset, std::int64_t iterations, std::int64_t batch) {
    spec_.workload.initial = {"pretrain", dataset, iterations, batch, 0.1};
    return pretrain(spec_, compute_device(spec_)).accuracy;
  }
  /// The accuracy of the checkpoint on the digits, after `iterations` of training on them.
  double accuracy_after(std::int64_t iterations) const {
    const auto digits = load_dataset(spec_.workload.dataset, "");
    const auto model = make_model(spec_.workload.model, digits->info(), 2);
    load_checkpoint(*model, spec_.checkpoint);
    train_for(iterations, 256, *model, *digits);
    return evaluate(*model, *digits, digits->test()).accuracy();
  }
  void SetUp() override {
    spec_.role = "pretrain";
    spec_.workload.model = mlp({128});
    spec_.workload.dataset = {"digits", {{"transform", "none"}}};
    spec_.checkpoint = folder_.path() + "/initial.pt";
  }

  TemporaryFolder folder_;
  WorkerSpec spec_;
};

TEST_F(Pretraining, WritesACheckpointThatLearnsTheRealTask) {
  EXPECT_GT(pretrained_for({"digits", {{"transform", "rotate90"}}}, 60, 128), 0.9);
  EXPECT_LT(accuracy_after(0), 0.5);
  EXPECT_GT(accuracy_after(60), 0.93);
}

TEST_F(Pretraining, OfAGpuWritesACheckpointForTheCpu) {
  const auto found = devices();
  if (found.gpus.empty()) GTEST_SKIP() << found.no_gpus;
  spec_.device = "cuda";
  EXPECT_GT(pretrained_for(spec_.workload.dataset, 60, 128), 0.9);
  EXPECT_GT(accuracy_after(0), 0.9);
}

TEST_F(Pretraining, IsForTextToo) {
  spec_.workload.model = kSmallGpt;
  spec_.workload.dataset = {"tinyshakespeare", {}};
  EXPECT_GT(pretrained_for(spec_.workload.dataset, 2, 4), 0);
  load_checkpoint(*small_gpt(), spec_.checkpoint);
}

TEST_F(Pretraining, RefusesADataSetOfAnotherShape) {
  EXPECT_THAT(
      [&] {
        pretrained_for({"cifar10", {}}, 1, 8);
      },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("/workload/initial/dataset/name: cifar10"),
                                       HasSubstr("digits: shape [1, 8, 8] in 10 classes"))));
}

}  // namespace
}  // namespace pacbench::trainer
