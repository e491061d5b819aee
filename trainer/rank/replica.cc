#include "trainer/rank/replica.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <functional>
#include <stdexcept>

#include "trainer/rank/device.h"
#include "trainer/training/checkpoint.h"

namespace pacbench::trainer {
namespace {

std::shared_ptr<Model> initial_model(const WorkerSpec& spec, const DatasetInfo& dataset) {
  auto model = make_model(spec.workload.model, dataset, spec.seed);
  if (spec.workload.initial.kind == "file") {
    load_checkpoint(*model, spec.checkpoint,
                    "expected safetensors, or model.state_dict() as torch.save writes it (zip)",
                    spec.workload.initial.sha256);
  } else if (!spec.checkpoint.empty()) {
    load_checkpoint(*model, spec.checkpoint);
  }
  model->to(compute_device(spec));
  model->train();
  return model;
}

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

Replica::Replica(const WorkerSpec& spec, std::shared_ptr<const Dataset> dataset)
    : spec_{spec},
      dataset_{std::move(dataset)},
      model_{initial_model(spec, dataset_->info())},
      parameters_{parameters_of(*model_)},
      optimizer_{make_optimizer(spec.workload.optimizer, tensors_of(parameters_))} {}

Batch Replica::batch(std::int64_t iteration) const {
  const auto batch = dataset_->training_batch(
      {spec_.seed, iteration, spec_.rank, spec_.workers, spec_.workload.batch_per_worker});
  return {batch.inputs.to(device()), batch.labels.to(device())};
}

at::Tensor Replica::loss(const Batch& batch) {
  return torch::nn::functional::cross_entropy(model_->forward(batch.inputs),
                                              batch.labels.flatten());
}

void Replica::visit_weights(StateVisitor& visitor) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto& name = parameters_[i].name;
    const auto& tensor = parameters_[i].tensor;
    visit_in_place(visitor, "weights/" + name, tensor);
    for (auto& memory : optimizer_->memories()) {
      auto& value = memory.of_parameters[i];
      visitor.tensor(fmt::format("{}/{}", memory.name, name), value);
      if (value.defined()) value = value.to(tensor.device());
    }
  }
}

void Replica::visit_buffers(StateVisitor& visitor) {
  for (const auto& buffer : model_->named_buffers()) {
    visit_in_place(visitor, "buffers/" + buffer.key(), buffer.value());
  }
}

BuffersKept::BuffersKept(const Model& model) : buffers_{model.buffers()} {
  for (const auto& buffer : buffers_) before_.push_back(buffer.clone());
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
