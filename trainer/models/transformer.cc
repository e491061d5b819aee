#include "trainer/models/transformer.h"

#include <fmt/format.h>
#include <torch/torch.h>

namespace pacbench::trainer {

namespace nn = torch::nn;

namespace {

nn::LayerNorm layer_norm(std::int64_t width) {
  return nn::LayerNorm{nn::LayerNormOptions{{width}}.eps(1e-6)};
}

/// The names are torchvision's numbers, where dropouts are 2 and 4.
nn::Sequential feed_forward(std::int64_t width) {
  nn::Sequential all;
  all->push_back("0", nn::Linear{width, 4 * width});
  all->push_back("1", nn::GELU{});
  all->push_back("3", nn::Linear{4 * width, width});
  return all;
}

/// Names and epsilon are those of torchvision's EncoderBlock.
class TransformerBlock : public nn::Module {
 public:
  explicit TransformerBlock(const TransformerShape& shape)
      : ln_1_{register_module("ln_1", layer_norm(shape.width))},
        self_attention_{register_module(
            "self_attention",
            std::make_shared<SelfAttention>(shape.width, shape.heads, shape.causal))},
        ln_2_{register_module("ln_2", layer_norm(shape.width))},
        mlp_{register_module("mlp", feed_forward(shape.width))} {}

  at::Tensor forward(at::Tensor x) {
    x = x + self_attention_->forward(ln_1_->forward(x));
    return x + mlp_->forward(ln_2_->forward(x));
  }

 private:
  nn::LayerNorm ln_1_;
  std::shared_ptr<SelfAttention> self_attention_;
  nn::LayerNorm ln_2_;
  nn::Sequential mlp_;
};

}  // namespace

thread_local bool TwiceDifferentiable::asked_ = false;

SelfAttention::SelfAttention(std::int64_t width, std::int64_t heads, bool causal)
    : heads_{heads},
      causal_{causal},
      in_proj_weight_{register_parameter("in_proj_weight", at::zeros({3 * width, width}))},
      in_proj_bias_{register_parameter("in_proj_bias", at::zeros({3 * width}))},
      out_proj_{register_module("out_proj", nn::Linear{width, width})} {}

at::Tensor SelfAttention::forward(const at::Tensor& x) {
  const auto batch = x.size(0);
  const auto sequence = x.size(1);
  const auto width = x.size(2);
  const auto projected = at::linear(x, in_proj_weight_, in_proj_bias_)
                             .view({batch, sequence, 3, heads_, width / heads_})
                             .permute({2, 0, 3, 1, 4})
                             .unbind(0);
  const auto& query = projected[0];
  const auto& key = projected[1];
  const auto& value = projected[2];
  const auto mixed = TwiceDifferentiable::asked()
                         ? std::get<0>(at::_scaled_dot_product_attention_math(
                               query, key, value, {}, /*dropout_p=*/0, causal_))
                         : at::scaled_dot_product_attention(query, key, value, {},
                                                            /*dropout_p=*/0, causal_);
  return out_proj_->forward(mixed.transpose(1, 2).reshape({batch, sequence, width}));
}

Encoder::Encoder(const TransformerShape& shape, int blocks, std::int64_t sequence)
    : pos_embedding_{register_parameter("pos_embedding", at::zeros({1, sequence, shape.width}))},
      ln_{nullptr} {
  for (int i = 0; i < blocks; ++i) {
    layers_->push_back(fmt::format("encoder_layer_{}", i),
                       std::make_shared<TransformerBlock>(shape));
  }
  register_module("layers", layers_);
  ln_ = register_module("ln", layer_norm(shape.width));
}

at::Tensor Encoder::forward(at::Tensor x) {
  return ln_->forward(layers_->forward(x + pos_embedding_));
}

}  // namespace pacbench::trainer
