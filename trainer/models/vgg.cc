#include "trainer/models/networks.h"

#include <torch/torch.h>

#include <array>

namespace pacbench::trainer {
namespace {

namespace nn = torch::nn;

struct VggStage {
  std::int64_t channels;
  int convolutions;
};

constexpr std::array<VggStage, 5> kStages{{{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}}};
constexpr std::int64_t kFeatures = kStages.back().channels;
constexpr std::int64_t kHidden = 4096;
// Each stage halves height and width.
constexpr int kMinSide = 1 << kStages.size();
constexpr const char* kThreeLayers = "three_fc";

/// Convolutions, norms, ReLUs and pools numbered in one sequence, as in torchvision's `features`.
nn::Sequential features(std::int64_t in) {
  nn::Sequential all;
  for (const auto& stage : kStages) {
    for (int i = 0; i < stage.convolutions; ++i) {
      all->push_back(nn::Conv2d{nn::Conv2dOptions{in, stage.channels, 3}.padding(1)});
      all->push_back(nn::BatchNorm2d{stage.channels});
      all->push_back(nn::ReLU{nn::ReLUOptions{true}});
      in = stage.channels;
    }
    all->push_back(nn::MaxPool2d{nn::MaxPool2dOptions{2}.stride(2)});
  }
  return all;
}

/// torchvision's `classifier.0`, `.3` and `.6`; between them torchvision has ReLUs and dropouts.
class ThreeLayers : public nn::Module {
 public:
  explicit ThreeLayers(std::int64_t classes)
      : first_{register_module("0", nn::Linear{kFeatures, kHidden})},
        second_{register_module("3", nn::Linear{kHidden, kHidden})},
        third_{register_module("6", nn::Linear{kHidden, classes})} {}

  at::Tensor forward(const at::Tensor& x) {
    return third_->forward(second_->forward(first_->forward(x).relu_()).relu_());
  }

 private:
  nn::Linear first_;
  nn::Linear second_;
  nn::Linear third_;
};

template <typename Classifier>
class Vgg : public Model {
 public:
  Vgg(std::int64_t image_channels, Classifier classifier)
      : features_{register_module("features", features(image_channels))},
        classifier_{register_module("classifier", std::move(classifier))} {}

  at::Tensor forward(at::Tensor images) override {
    return classifier_->forward(features_->forward(images).mean({2, 3}));
  }

 private:
  nn::Sequential features_;
  Classifier classifier_;
};

}  // namespace

ModelInfo vgg_info() {
  OptionSpec classifier;
  classifier.name = "classifier";
  classifier.type = OptionSpec::Type::kChoice;
  classifier.default_value = "one_fc";
  classifier.choices = {"one_fc", kThreeLayers};
  classifier.help = "one linear layer after the convolutions, or three with 4096 between them";
  ModelInfo info{"vgg19_bn", "VGG-19 with batch norm, 64 to 512 channels", {classifier}};
  info.min_side = kMinSide;
  return info;
}

std::shared_ptr<Model> make_vgg(const Choice& choice, const DatasetInfo& dataset) {
  const auto channels = dataset.shape.at(0);
  if (choice.options.at("classifier") == kThreeLayers) {
    return std::make_shared<Vgg<std::shared_ptr<ThreeLayers>>>(
        channels, std::make_shared<ThreeLayers>(dataset.classes));
  }
  return std::make_shared<Vgg<nn::Linear>>(channels, nn::Linear{kFeatures, dataset.classes});
}

}  // namespace pacbench::trainer
