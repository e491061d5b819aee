#include "trainer/models/networks.h"

#include <torch/torch.h>

#include "trainer/models/transformer.h"

namespace pacbench::trainer {
namespace {

namespace nn = torch::nn;

constexpr std::int64_t kHeadWidth = 64;

class CharGpt : public Model {
 public:
  CharGpt(std::int64_t width, int layers, std::int64_t context, std::int64_t vocabulary)
      : token_embedding_{register_module("token_embedding", nn::Embedding{vocabulary, width})},
        encoder_{register_module(
            "encoder",
            std::make_shared<Encoder>(TransformerShape{width, width / kHeadWidth, /*causal=*/true},
                                      layers, context))},
        head_{register_module("head", nn::Linear{width, vocabulary})} {}

  at::Tensor forward(at::Tensor tokens) override {
    return head_->forward(encoder_->forward(token_embedding_->forward(tokens))).flatten(0, 1);
  }

 private:
  nn::Embedding token_embedding_;
  std::shared_ptr<Encoder> encoder_;
  nn::Linear head_;
};

}  // namespace

ModelEntry char_gpt_network() {
  using Type = OptionSpec::Type;
  OptionSpec width{
      "width", Type::kInteger, 256, {64.0, 1024.0}, {}, "length of each token's vector"};
  width.multiple_of = kHeadWidth;
  const OptionSpec layers{
      "layers", Type::kInteger, 6, {1.0, 24.0}, {}, "number of transformer blocks"};
  ModelInfo info{"char-gpt", "transformer that predicts the next character", {layers, width}};
  info.input = "tokens";
  const auto make = [](const Choice& choice, const DatasetInfo& dataset) {
    return std::make_shared<CharGpt>(choice.options.at("width"), choice.options.at("layers"),
                                     dataset.shape.at(0), dataset.classes);
  };
  return {info, make};
}

}  // namespace pacbench::trainer
