#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "base/json/json_reader.h"
#include "tests/unit/trainer/learning/formula.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"

namespace pacbench::trainer {
namespace {

using testing::filled;
using testing::value;

constexpr std::int64_t kBatch = 2;

/// torchvision's values, which record_torchvision.py beside this file recorded.
const Json& recorded() {
  static const Json values = read_json_file(TORCHVISION_VALUES);
  return values;
}

/// Whether a buffer is batch norm's count of batches, which affects no result.
bool is_counter(const std::string& name) { return name.ends_with("num_batches_tracked"); }

void fill(Model& model) {
  const torch::NoGradGuard no_grad;
  model.to(at::kDouble);
  for (auto& item : model.named_parameters()) {
    item.value().copy_(value(item.key(), item.value().sizes()));
  }
  for (auto& item : model.named_buffers()) {
    auto& buffer = item.value();
    if (!is_counter(item.key())) buffer.copy_(value(item.key(), buffer.sizes()));
  }
}

/// The sum, the norm, and the first, middle and last element of a tensor.
std::vector<double> summary(const at::Tensor& tensor) {
  const auto flat = tensor.detach().flatten();
  const auto* values = flat.const_data_ptr<double>();
  const auto count = flat.numel();
  return {flat.sum().item<double>(), flat.norm().item<double>(), values[0], values[count / 2],
          values[count - 1]};
}

/// Compares a tensor with recorded numbers. Both were computed in double precision; the recorded
/// ones have seven digits.
void expect_near(const at::Tensor& found, const Json& expected, const std::string& what) {
  const auto numbers = summary(found);
  const double tolerance = 1e-6 * expected.at(1).get<double>() + 1e-13;
  // The error of a sum of n terms that cancel is about sqrt(n) times the error of the norm.
  const double of_sum = tolerance * std::sqrt(static_cast<double>(found.numel()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(numbers[i], expected.at(i).get<double>(), i == 0 ? of_sum : tolerance)
        << what << ", number " << i;
  }
}

void expect_near(const torch::OrderedDict<std::string, at::Tensor>& found, const Json& expected,
                 const std::string& what) {
  std::size_t compared = 0;
  for (const auto& item : found) {
    if (is_counter(item.key())) continue;
    ASSERT_TRUE(expected.contains(item.key())) << what << " of " << item.key();
    expect_near(item.value(), expected.at(item.key()), what + " of " + item.key());
    ++compared;
  }
  EXPECT_EQ(compared, expected.size()) << what;
}

/// The inputs and labels of record_torchvision.py.
Batch inputs_for(const DatasetInfo& dataset) {
  if (dataset.input == "images") {
    return {filled("images", {kBatch, 3, 32, 32}), at::arange(kBatch) * 3 + 1};
  }
  const auto context = dataset.shape.at(0);
  const auto text =
      at::arange(kBatch * (context + 1)).view({kBatch, context + 1}).square().remainder(65);
  return {text.narrow(1, 0, context), text.narrow(1, 1, context)};
}

class Torchvision : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Torchvision, GivesTheSameLogitsAndGradientsForTheSameWeights) {
  const auto& expected = recorded().at("cases").at(GetParam());
  const Choice choice{expected.at("model"), expected.at("options")};
  SCOPED_TRACE(choice.name + choice.options.dump());
  const auto dataset = dataset_info(choice.name == "char-gpt" ? "tinyshakespeare" : "cifar10");
  const auto model = make_model(choice, dataset, 1);
  fill(*model);
  const auto batch = inputs_for(dataset);
  {
    const torch::NoGradGuard no_grad;
    const EvaluationMode evaluation_mode{*model};
    expect_near(model->forward(batch.inputs), expected.at("evaluated"), "evaluated logits");
  }
  const auto& trained = expected.at("trained");
  const auto logits = model->forward(batch.inputs);
  expect_near(logits, trained.at("logits"), "logits");
  const auto loss = torch::nn::functional::cross_entropy(logits, batch.labels.flatten());
  EXPECT_NEAR(loss.item<double>(), trained.at("loss"), 1e-7);
  loss.backward();
  torch::OrderedDict<std::string, at::Tensor> gradients;
  for (const auto& item : model->named_parameters()) {
    gradients.insert(item.key(), item.value().grad());
  }
  expect_near(gradients, trained.at("gradients"), "gradient");
  expect_near(model->named_buffers(), trained.at("buffers"), "buffer");
}

INSTANTIATE_TEST_SUITE_P(Recorded, Torchvision,
                         ::testing::Range(std::size_t{0}, recorded().at("cases").size()));

}  // namespace
}  // namespace pacbench::trainer
