#include <torch/torch.h>

#include <cmath>
#include <numbers>

#include "trainer/kernels/philox.h"
#include "trainer/models/networks.h"

namespace pacbench::trainer {
namespace {

constexpr double kDeviation = 0.02;

/// Fills parameters one after the other, each from its own stream of random numbers.
class Filler {
 public:
  explicit Filler(std::int64_t seed) : seed_{seed} {}

  void uniform(const at::Tensor& parameter, double bound) {
    auto values = at::empty(parameter.sizes(), at::kFloat);
    fill_uniform(next_key(), 0, values.numel(), values.data_ptr<float>());
    parameter.copy_(values.mul_(2 * bound).sub_(bound));
  }

  void normal(const at::Tensor& parameter, double deviation) {
    const auto count = parameter.numel();
    auto uniforms = at::empty({2 * count}, at::kFloat);
    const auto* u = uniforms.data_ptr<float>();
    fill_uniform(next_key(), 0, 2 * count, uniforms.data_ptr<float>());
    auto values = at::empty(parameter.sizes(), at::kFloat);
    auto* out = values.data_ptr<float>();
    // Box and Muller, in double precision; 1 - u is in (0, 1], so that the logarithm is finite.
    for (std::int64_t i = 0; i < count; ++i) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - double{u[2 * i]}));
      out[i] = static_cast<float>(deviation * radius *
                                  std::cos(2.0 * std::numbers::pi * double{u[2 * i + 1]}));
    }
    parameter.copy_(values);
  }

 private:
  RandomKey next_key() {
    return {.seed = seed_, .use = RandomUse::kInitialWeights, .parameter = number_++};
  }

  std::int64_t seed_;
  std::int64_t number_ = 0;
};

}  // namespace

void initialise_weights(Model& model, std::int64_t seed) {
  const torch::NoGradGuard no_grad;
  Filler fill{seed};
  for (const auto& module : model.modules()) {
    if (auto* conv = dynamic_cast<torch::nn::Conv2dImpl*>(module.get())) {
      const auto fan_out = conv->weight.numel() / conv->weight.size(1);
      fill.normal(conv->weight, std::sqrt(2.0 / static_cast<double>(fan_out)));
      if (conv->bias.defined()) conv->bias.zero_();
    } else if (auto* linear = dynamic_cast<torch::nn::LinearImpl*>(module.get())) {
      const double bound = 1.0 / std::sqrt(static_cast<double>(linear->weight.size(1)));
      fill.uniform(linear->weight, bound);
      fill.uniform(linear->bias, bound);
    } else if (auto* norm = dynamic_cast<torch::nn::BatchNorm2dImpl*>(module.get())) {
      norm->weight.fill_(1);
      norm->bias.zero_();
    } else if (auto* layer_norm = dynamic_cast<torch::nn::LayerNormImpl*>(module.get())) {
      layer_norm->weight.fill_(1);
      layer_norm->bias.zero_();
    } else {
      for (const auto& parameter : module->parameters(/*recurse=*/false)) {
        if (parameter.dim() > 1) {
          fill.normal(parameter, kDeviation);
        } else {
          parameter.zero_();
        }
      }
    }
  }
}

}  // namespace pacbench::trainer
