#include <gtest/gtest.h>
#include <torch/torch.h>

#include "trainer/data/dataset.h"
#include "trainer/models/model.h"

namespace pacbench::trainer {
namespace {

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

INSTANTIATE_TEST_SUITE_P(
    Small, ModelSizes,
    ::testing::Values(Size{{"mlp", {{"hidden", {512, 512}}}}, "digits", 301066, 99.66},
                      Size{{"mlp", {{"hidden", {1024, 1024}}}}, "digits", 1126410, 99.82},
                      Size{{"resnet8", {}}, "cifar10", 78042, 99.13},
                      Size{{"resnet20", {}}, "cifar10", 272474, 99.42},
                      Size{{"resnet8", {}}, "digits", 77754, 99.12},
                      Size{gpt(4, 192), "tinyshakespeare", 1829441, 97.40},
                      Size{gpt(6, 256), "tinyshakespeare", 4805185, 98.54},
                      Size{gpt(8, 512), "tinyshakespeare", 25352257, 99.40}));

// resnet50's count is torchvision's 25557032 with ten classes in place of a thousand.
INSTANTIATE_TEST_SUITE_P(
    Large, ModelSizes,
    ::testing::Values(Size{{"resnet18", {}}, "cifar10", 11173962, 99.91},
                      Size{{"resnet18", {}}, "cifar100", 11220132, 99.91},
                      Size{{"vgg19_bn", {{"classifier", "one_fc"}}}, "cifar10", 20040522, 99.92},
                      Size{{"vgg19_bn", {{"classifier", "one_fc"}}}, "cifar100", 20086692, 99.92},
                      Size{{"vgg19_bn", {{"classifier", "three_fc"}}}, "cifar10", 38958922, 99.94},
                      Size{{"vgg19_bn", {{"classifier", "three_fc"}}}, "cifar100", 39327652, 99.94},
                      Size{{"resnet152", {}}, "cifar10", 58156618, 99.74},
                      Size{{"resnet152", {}}, "cifar100", 58341028, 99.74},
                      Size{{"resnet50", {{"image_size", 224}}}, "cifar10", 23528522, 99.77},
                      Size{{"vit_b_16", {{"image_size", 224}}}, "cifar10", 85806346, 99.68},
                      Size{{"vit_b_16", {{"image_size", 224}}}, "cifar100", 85875556, 99.68},
                      Size{{"vit_b_16", {{"image_size", 32}}}, "cifar10", 85658890, 99.85},
                      Size{{"vit_b_4", {{"image_size", 32}}}, "cifar10", 85152010, 99.80}));

}  // namespace
}  // namespace pacbench::trainer
