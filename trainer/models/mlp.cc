#include "trainer/models/networks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <functional>
#include <numeric>

namespace pacbench::trainer {
namespace {

class Mlp : public Model {
 public:
  explicit Mlp(const std::vector<std::int64_t>& widths) {
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      layers_.push_back(
          register_module(fmt::format("fc{}", i + 1), torch::nn::Linear{widths[i], widths[i + 1]}));
    }
  }

  at::Tensor forward(at::Tensor images) override {
    auto activations = images.flatten(1);
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      activations = torch::relu(layers_[i]->forward(activations));
    }
    return layers_.back()->forward(activations);
  }

 private:
  std::vector<torch::nn::Linear> layers_;
};

}  // namespace

ModelEntry mlp_network() {
  const OptionSpec hidden{"hidden", OptionSpec::Type::kIntegers,  {512, 512}, {1.0, 65536.0},
                          {},       "widths of the hidden layers"};
  const auto make = [](const Choice& choice, const DatasetInfo& dataset) {
    const auto& shape = dataset.shape;
    std::vector<std::int64_t> widths{
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{})};
    for (const auto& width : choice.options.at("hidden")) widths.push_back(width);
    widths.push_back(dataset.classes);
    return std::make_shared<Mlp>(widths);
  };
  return {{"mlp", "fully connected layers with ReLU", {hidden}}, make};
}

}  // namespace pacbench::trainer
