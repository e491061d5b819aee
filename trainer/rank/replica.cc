#include "trainer/rank/replica.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <functional>
#include <stdexcept>

namespace pacbench::trainer {
namespace {

/// Visits a tensor that stays where it is: its values are read, or replaced.
void visit_in_place(StateVisitor& visitor, const std::string& name, const at::Tensor& tensor) {
  const at::NoGradGuard no_grad;
  auto value = tensor.detach();
  visitor.tensor(name, value);
  if (!value.is_same_size(tensor)) {
    throw std::runtime_error{
        fmt::format("found another shape of {} in the saved state than in the model, expected the "
                    "same: resume with the model that the state was saved from",
                    name)};
  }
  tensor.copy_(value);
}

}  // namespace

Replica::Replica(const WorkerSpec& spec, std::unique_ptr<LearningTask> task)
    : spec_{spec}, task_{std::move(task)}, optimizer_{task_->optimizer(spec.workload.optimizer)} {}

Batch Replica::batch(std::int64_t iteration) const {
  return task_->batch(
      {spec_.seed, iteration, spec_.rank, spec_.workers, spec_.workload.batch_per_worker});
}

void Replica::visit_weights(StateVisitor& visitor) {
  for (std::size_t i = 0; i < parameters().size(); ++i) {
    const auto& [name, tensor, prunable, embedding] = parameters()[i];
    visit_in_place(visitor, "weights/" + name, tensor);
    for (auto& memory : optimizer_->memories()) {
      auto& value = memory.of_parameters[i];
      visitor.tensor(fmt::format("{}/{}", memory.name, name), value);
      if (value.defined()) value = value.to(tensor.device());
    }
  }
}

void Replica::visit_buffers(StateVisitor& visitor) {
  for (const auto& buffer : buffers()) {
    visit_in_place(visitor, "buffers/" + buffer.name, buffer.tensor);
  }
  task_->visit_state(visitor);
}

BuffersKept::BuffersKept(const Replica& replica) {
  for (const auto& buffer : replica.buffers()) {
    buffers_.push_back(buffer.tensor);
    before_.push_back(buffer.tensor.clone());
  }
}

BuffersKept::~BuffersKept() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(before_[i]);
}

WeightsLent::WeightsLent(Replica& replica, const std::vector<at::Tensor>& weights)
    : replica_{replica} {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto weight = replica_.parameters()[i].tensor.detach();
    before_.push_back(weight.clone());
    weight.copy_(weights[i]);
  }
}

WeightsLent::~WeightsLent() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    replica_.parameters()[i].tensor.detach().copy_(before_[i]);
  }
}

std::uint64_t hash_of(const std::vector<at::Tensor>& tensors) {
  std::uint64_t hash = 0;
  for (const auto& tensor : tensors) {
    const auto bytes = tensor.detach().cpu().contiguous();
    const std::string_view view{static_cast<const char*>(bytes.data_ptr()), bytes.nbytes()};
    hash = hash * 0x9E3779B97F4A7C15U + std::hash<std::string_view>{}(view);
  }
  return hash;
}

std::vector<at::Tensor> tensors_of(const std::vector<Parameter>& parameters) {
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) tensors.push_back(parameter.tensor);
  return tensors;
}

}  // namespace pacbench::trainer
