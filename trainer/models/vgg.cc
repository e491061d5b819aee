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

/// torchvision's `classifier.0`, `.3` and `.6`; its dropouts are `.2` and `.5`.
nn::Sequential three_layers(std::int64_t classes) {
  nn::Sequential all;
  all->push_back("0", nn::Linear{kFeatures, kHidden});
  all->push_back("1", nn::ReLU{nn::ReLUOptions{true}});
  all->push_back("3", nn::Linear{kHidden, kHidden});
  all->push_back("4", nn::ReLU{nn::ReLUOptions{true}});
  all->push_back("6", nn::Linear{kHidden, classes});
  return all;
}

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

ModelEntry vgg_network() {
  const OptionSpec classifier{
      "classifier",
      OptionSpec::Type::kChoice,
      "one_fc",
      {},
      {"one_fc", kThreeLayers},
      "one linear layer after the convolutions, or three with 4096 between them"};
  ModelInfo info{"vgg19_bn", "VGG-19 with batch norm, 64 to 512 channels", {classifier}};
  info.min_side = kMinSide;
  const auto make = [](const Choice& choice, const DatasetInfo& dataset) -> std::shared_ptr<Model> {
    const auto channels = dataset.shape.at(0);
    if (choice.options.at("classifier") == kThreeLayers) {
      return std::make_shared<Vgg<nn::Sequential>>(channels, three_layers(dataset.classes));
    }
    return std::make_shared<Vgg<nn::Linear>>(channels, nn::Linear{kFeatures, dataset.classes});
  };
  return {info, make};
}

}  // namespace pacbench::trainer
