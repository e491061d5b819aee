#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <fstream>

#include "base/files.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/rank/device.h"
#include "trainer/training/checkpoint.h"
#include "trainer/training/evaluator.h"
#include "trainer/training/optimizer.h"
#include "trainer/training/pretrain.h"
#include "trainer/training/schedule.h"

namespace pacbench::trainer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Choice mlp(const std::vector<std::int64_t>& hidden) { return {"mlp", {{"hidden", hidden}}}; }

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const auto& item : model.named_parameters()) names.push_back(item.key());
  for (const auto& item : model.named_buffers()) names.push_back(item.key());
  return names;
}

bool same_weights(const Model& a, const Model& b) {
  const auto left = a.parameters();
  const auto right = b.parameters();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!at::equal(left[i], right[i])) return false;
  }
  return left.size() == right.size();
}

TEST(Models, BearTorchvisionsNames) {
  const auto names = names_of(*make_model({"resnet18", {}}, dataset_info("cifar10"), 1));
  for (const auto* name :
       {"conv1.weight", "bn1.running_mean", "layer1.0.conv1.weight", "layer2.0.downsample.0.weight",
        "layer2.0.downsample.1.bias", "layer4.1.bn2.num_batches_tracked", "fc.weight", "fc.bias"}) {
    EXPECT_THAT(names, Contains(name));
  }
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

TEST(Models, OnlyWeightsOfConvolutionsAndLinearLayersArePrunable) {
  for (const auto& parameter :
       parameters_of(*make_model({"resnet8", {}}, dataset_info("cifar10"), 1))) {
    EXPECT_EQ(parameter.prunable, parameter.tensor.dim() > 1) << parameter.name;
  }
}

TEST(Models, RefuseAnUnknownNameAndSayWhatThereIs) {
  try {
    make_model({"lenet", {}}, dataset_info("digits"), 1);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("found \"lenet\", expected one of mlp, vgg19_bn"));
  }
}

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
  try {
    load_checkpoint(*model, folder.path() + "/a.pt");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("a.pt: fc2.weight: found Float [12, 16], expected Float [10, 16]"));
    EXPECT_THAT(error.what(), HasSubstr("fc3.bias: found Float [10], but the model has no"));
  }
  EXPECT_TRUE(same_weights(*model, *make_model(mlp({16}), info, 2)));
}

TEST(Checkpoint, RefusesAFileThatIsNone) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/a.pt";
  std::ofstream{path} << "no tensors here";
  const auto model = make_model(mlp({16}), dataset_info("digits"), 2);
  EXPECT_THROW(load_checkpoint(*model, path), ConfigError);
  EXPECT_THROW(load_checkpoint(*model, path + ".missing"), std::system_error);
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

/// Trains for `iterations` with learning rate 0.1, momentum 0.9 and 256 images a step. Returns the
/// accuracy on the test half.
double trained_accuracy(Model& model, const Dataset& dataset, std::int64_t iterations) {
  const auto sgd = make_optimizer({.momentum = 0.9}, model.parameters());
  for (std::int64_t i = 1; i <= iterations; ++i) {
    const auto batch = dataset.training_batch({.seed = 1, .iteration = i, .batch_per_worker = 256});
    sgd->zero_gradients();
    torch::nn::functional::cross_entropy(model.forward(batch.inputs), batch.labels).backward();
    sgd->step(0.1);
  }
  return evaluate(model, dataset, dataset.test()).accuracy();
}

TEST(Training, LearnsTheDigits) {
  const auto digits = load_dataset({"digits", {{"transform", "none"}}}, "");
  const auto model = make_model(mlp({512, 512}), digits->info(), 1);
  const auto accuracy = trained_accuracy(*model, *digits, 100);
  RecordProperty("accuracy", std::to_string(accuracy));
  EXPECT_GT(accuracy, 0.95);
}

TEST(Pretraining, WritesACheckpointThatLearnsTheRealTask) {
  const TemporaryFolder folder;
  WorkerSpec spec;
  spec.role = "pretrain";
  spec.workload.model = mlp({128});
  spec.workload.dataset = {"digits", {{"transform", "none"}}};
  spec.workload.initial = {"pretrain", {"digits", {{"transform", "rotate90"}}}, 60, 128, 0.1};
  spec.checkpoint = folder.path() + "/initial.pt";
  EXPECT_GT(pretrain(spec, c10::kCPU).accuracy, 0.9);
  const auto digits = load_dataset(spec.workload.dataset, "");
  const auto model = make_model(spec.workload.model, digits->info(), 2);
  load_checkpoint(*model, spec.checkpoint);
  EXPECT_LT(evaluate(*model, *digits, digits->test()).accuracy(), 0.5);
  EXPECT_GT(trained_accuracy(*model, *digits, 60), 0.93);
}

TEST(Pretraining, OfAGpuWritesACheckpointForTheCpu) {
  const auto found = devices();
  if (found.gpus.empty()) GTEST_SKIP() << found.no_gpus;
  const TemporaryFolder folder;
  WorkerSpec spec;
  spec.role = "pretrain";
  spec.device = "cuda";
  spec.workload.model = mlp({128});
  spec.workload.dataset = {"digits", {{"transform", "none"}}};
  spec.workload.initial = {"pretrain", spec.workload.dataset, 60, 128, 0.1};
  spec.checkpoint = folder.path() + "/initial.pt";
  EXPECT_GT(pretrain(spec, compute_device(spec)).accuracy, 0.9);
  const auto digits = load_dataset(spec.workload.dataset, "");
  const auto model = make_model(spec.workload.model, digits->info(), 2);
  load_checkpoint(*model, spec.checkpoint);
  EXPECT_GT(evaluate(*model, *digits, digits->test()).accuracy(), 0.9);
}

TEST(Pretraining, RefusesADataSetOfAnotherShape) {
  WorkerSpec spec;
  spec.workload.model = mlp({16});
  spec.workload.dataset = {"digits", {{"transform", "none"}}};
  spec.workload.initial = {"pretrain", {"cifar10", {}}, 1, 8, 0.1};
  try {
    pretrain(spec, c10::kCPU);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/workload/initial/dataset/name: cifar10 has images of "));
    EXPECT_THAT(error.what(), HasSubstr("digits: shape [1, 8, 8] in 10 classes"));
  }
}

}  // namespace
}  // namespace pacbench::trainer
