#include <gtest/gtest.h>
#include <torch/torch.h>

#include "base/files.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/models/transformer.h"
#include "trainer/pruning/importance.h"
#include "trainer/training/checkpoint.h"
#include "trainer/training/evaluator.h"
#include "trainer/training/optimizer.h"
#include "trainer/training/pretrain.h"

namespace pacbench::trainer {
namespace {

const Choice kSmall{"char-gpt", {{"layers", 1}, {"width", 64}}};

std::shared_ptr<Model> small_gpt() {
  return make_model(kSmall, dataset_info("tinyshakespeare"), 1);
}

TEST(CharGpt, DoesNotLookAhead) {
  const torch::NoGradGuard no_grad;
  const auto model = small_gpt();
  auto tokens = at::arange(128).remainder(65).unsqueeze(0);
  const auto before = model->forward(tokens);
  tokens[0][100] = 7;
  const auto after = model->forward(tokens);
  EXPECT_TRUE(at::equal(before.narrow(0, 0, 100), after.narrow(0, 0, 100)));
  EXPECT_FALSE(at::allclose(before[100], after[100]));
}

TEST(CharGpt, IsEvaluatedByItsLossAndByWhichCharactersItGetsRight) {
  const auto text = load_dataset({"tinyshakespeare", {}}, "");
  const auto model = small_gpt();
  const auto result = evaluate(*model, *text, text->test(), 0, 4);
  EXPECT_EQ(result.samples, 4 * 128);
  EXPECT_NEAR(result.loss(), std::log(65.0), 0.5);
}

TEST(CharGpt, LearnsMoreThanHowOftenEachCharacterOccurs) {
  const auto text = load_dataset({"tinyshakespeare", {}}, "");
  const auto model = small_gpt();
  const auto sgd = make_optimizer({.momentum = 0.9}, model->parameters());
  for (std::int64_t i = 1; i <= 60; ++i) {
    const auto batch = text->training_batch({.seed = 1, .iteration = i, .batch_per_worker = 16});
    sgd->zero_gradients();
    torch::nn::functional::cross_entropy(model->forward(batch.inputs), batch.labels.flatten())
        .backward();
    sgd->step(0.1);
  }
  const auto loss = evaluate(*model, *text, text->test(), 0, 50).loss();
  RecordProperty("loss", std::to_string(loss));
  // The entropy of single characters is 3.31 nats.
  EXPECT_LT(loss, 3.3);
}

TEST(CharGpt, IsPreTrainedAsOtherModelsAre) {
  const TemporaryFolder folder;
  WorkerSpec spec;
  spec.role = "pretrain";
  spec.workload.model = kSmall;
  spec.workload.dataset = {"tinyshakespeare", {}};
  spec.workload.initial = {"pretrain", {"tinyshakespeare", {}}, 2, 4, 0.1};
  spec.checkpoint = folder.path() + "/initial.pt";
  EXPECT_GT(pretrain(spec, c10::kCPU).accuracy, 0);
  load_checkpoint(*small_gpt(), spec.checkpoint);
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

}  // namespace
}  // namespace pacbench::trainer
