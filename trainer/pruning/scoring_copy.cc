#include "trainer/pruning/scoring_copy.h"

#include <torch/torch.h>

namespace pacbench::trainer {

namespace autograd_impl = torch::autograd::impl;

struct ScoringCopy::Own {
  at::Tensor tensor;
  at::Tensor data;
  std::shared_ptr<torch::autograd::Node> accumulator;  ///< null where autograd has made none
};

ScoringCopy::ScoringCopy(Model& model, at::ScalarType type)
    : model_{model}, was_training_{model.is_training()} {
  auto tensors = model.parameters();
  const auto buffers = model.buffers();
  tensors.insert(tensors.end(), buffers.begin(), buffers.end());
  for (auto& tensor : tensors) {
    auto data = tensor.variable_data();
    own_.push_back({tensor, data, autograd_impl::try_get_grad_accumulator(tensor)});
    const auto copy_type = data.is_floating_point() ? type : data.scalar_type();
    tensor.set_data(data.to(copy_type, /*non_blocking=*/false, /*copy=*/true));
  }
  model.train();
}

ScoringCopy::~ScoringCopy() {
  for (auto& own : own_) {
    own.tensor.set_data(own.data);
    if (own.accumulator) autograd_impl::set_grad_accumulator(own.tensor, own.accumulator);
  }
  model_.train(was_training_);
}

}  // namespace pacbench::trainer
