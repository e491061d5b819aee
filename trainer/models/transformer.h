#pragma once

#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>

namespace pacbench::trainer {

/// Multi-head self-attention (Vaswani et al. 2017, section 3.2.2). Its parameters have the names
/// that torch's nn.MultiheadAttention gives them.
class SelfAttention : public torch::nn::Module {
 public:
  SelfAttention(std::int64_t width, std::int64_t heads, bool causal);

  /// Maps [batch, sequence, width] to the same shape. Causal attention does not look ahead.
  at::Tensor forward(const at::Tensor& x);

 private:
  std::int64_t heads_;
  bool causal_;
  at::Tensor in_proj_weight_;
  at::Tensor in_proj_bias_;
  torch::nn::Linear out_proj_;
};

/// The sizes of a transformer's blocks, and whether their attention is causal.
struct TransformerShape {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  bool causal = false;
};

/// Position embeddings, blocks and a last layer norm: torchvision's Encoder without dropout. A
/// block has two parts, each with a layer norm before it and a shortcut around it: attention, then
/// two linear layers with GELU and four times the width between them.
class Encoder : public torch::nn::Module {
 public:
  Encoder(const TransformerShape& shape, int blocks, std::int64_t sequence);

  /// Maps [batch, sequence, width] to the same shape.
  at::Tensor forward(at::Tensor x);

 private:
  at::Tensor pos_embedding_;
  torch::nn::Sequential layers_;
  torch::nn::LayerNorm ln_;
};

/// While an object of this class lives, attention that this thread computes can be differentiated
/// twice. The fused kernels that otherwise compute attention do not allow this, but need far less
/// memory.
class TwiceDifferentiable {
 public:
  TwiceDifferentiable() { asked_ = true; }
  TwiceDifferentiable(const TwiceDifferentiable&) = delete;
  TwiceDifferentiable& operator=(const TwiceDifferentiable&) = delete;
  ~TwiceDifferentiable() { asked_ = before_; }

  static bool asked() { return asked_; }

 private:
  static thread_local bool asked_;
  bool before_ = asked_;
};

}  // namespace pacbench::trainer
