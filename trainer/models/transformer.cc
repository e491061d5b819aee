#include "trainer/models/transformer.h"

#include <fmt/format.h>
#include <torch/torch.h>

namespace pacbench::trainer {

namespace nn = torch::nn;

namespace {

nn::LayerNorm layer_norm(std::int64_t width) {
  return nn::LayerNorm{nn::LayerNormOptions{{width}}.eps(1e-6)};
}

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

TransformerBlock::TransformerBlock(const TransformerShape& shape)
    : ln_1_{register_module("ln_1", layer_norm(shape.width))},
      self_attention_{
          register_module("self_attention",
                          std::make_shared<SelfAttention>(shape.width, shape.heads, shape.causal))},
      ln_2_{register_module("ln_2", layer_norm(shape.width))},
      widen_{nullptr},
      narrow_{nullptr} {
  // The names are torchvision's numbers, where GELU is 1 and dropouts are 2 and 4.
  auto mlp = register_module("mlp", std::make_shared<nn::Module>("mlp"));
  widen_ = mlp->register_module("0", nn::Linear{shape.width, 4 * shape.width});
  narrow_ = mlp->register_module("3", nn::Linear{4 * shape.width, shape.width});
}

at::Tensor TransformerBlock::forward(at::Tensor x) {
  x = x + self_attention_->forward(ln_1_->forward(x));
  return x + narrow_->forward(at::gelu(widen_->forward(ln_2_->forward(x))));
}

Encoder::Encoder(const TransformerShape& shape, int blocks, std::int64_t sequence)
    : pos_embedding_{register_parameter("pos_embedding", at::zeros({1, sequence, shape.width}))},
      ln_{nullptr} {
  auto layers = register_module("layers", std::make_shared<nn::Module>("layers"));
  for (int i = 0; i < blocks; ++i) {
    blocks_.push_back(layers->register_module(fmt::format("encoder_layer_{}", i),
                                              std::make_shared<TransformerBlock>(shape)));
  }
  ln_ = register_module("ln", layer_norm(shape.width));
}

at::Tensor Encoder::forward(at::Tensor x) {
  x = x + pos_embedding_;
  for (auto& block : blocks_) x = block->forward(x);
  return ln_->forward(x);
}

}  // namespace pacbench::trainer
