#include "trainer/rank/replica.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "contract/catalogue/python_name.h"
#include "trainer/methods/users_code.h"
#include "trainer/pruning/prune.h"
#include "trainer/rank/device.h"
#include "trainer/training/checkpoint.h"

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

class CatalogueTask final : public LearningTask {
 public:
  CatalogueTask(const WorkerSpec& spec, std::shared_ptr<const Dataset> dataset)
      : evaluated_{spec.workload.evaluate_samples},
        dataset_{std::move(dataset)},
        model_{initial_model(spec, dataset_->info())},
        parameters_{parameters_of(*model_)} {}

  const std::vector<Parameter>& parameters() const override { return parameters_; }

  std::vector<Buffer> buffers() const override {
    std::vector<Buffer> all;
    for (const auto& buffer : model_->named_buffers())
      all.push_back({buffer.key(), buffer.value()});
    return all;
  }

  Batch batch(const BatchPosition& position) const override {
    const auto batch = dataset_->training_batch(position);
    return {batch.inputs.to(device()), batch.labels.to(device())};
  }

  at::Tensor loss(const Batch& batch) override {
    return torch::nn::functional::cross_entropy(model_->forward(batch.inputs),
                                                batch.labels.flatten());
  }

  std::int64_t evaluated_samples() const override {
    return evaluated_ == 0 ? dataset_->test().count() : evaluated_;
  }

  Evaluation evaluate(std::int64_t first, std::int64_t count) override {
    if (!drawn_) drawn_ = drawn_samples(dataset_->test(), evaluated_);
    return trainer::evaluate(*model_, *dataset_, *drawn_, first, count);
  }

  Importances importances(const PruningPlan& plan, std::int64_t seed) override {
    return importances_of(*model_, *dataset_, plan, seed);
  }

 private:
  c10::Device device() const { return parameters_.front().tensor.device(); }

  std::int64_t evaluated_;  ///< samples; 0: all
  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Model> model_;
  std::vector<Parameter> parameters_;
  std::optional<Samples> drawn_;
};

}  // namespace

std::unique_ptr<WeightOptimizer> LearningTask::optimizer(const Optimizer& options) {
  return make_optimizer(options, tensors_of(parameters()));
}

std::unique_ptr<LearningTask> task_of(const WorkerSpec& spec,
                                      std::shared_ptr<const Dataset> dataset) {
  if (is_users_class(spec.workload.model.name)) return UsersCode::of_this_process().task(spec);
  if (!dataset) dataset = dataset_of(spec.workload, spec.data_folder);
  return std::make_unique<CatalogueTask>(spec, std::move(dataset));
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

ValuesKept::ValuesKept(const std::vector<at::Tensor>& tensors) {
  for (const auto& tensor : tensors) {
    values_.emplace_back(tensor.detach(), tensor.detach().clone());
  }
}

ValuesKept::~ValuesKept() {
  for (const auto& [tensor, before] : values_) tensor.copy_(before);
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

void add_to(BucketLayout& bucket, std::size_t number, const Parameter& parameter) {
  const auto elements = parameter.tensor.numel();
  bucket.slices.push_back({static_cast<int>(number), parameter.name, parameter.tensor.sizes().vec(),
                           bucket.elements, elements, at::Tensor{}, parameter.embedding,
                           parameter.prunable});
  bucket.elements += elements;
}

}  // namespace pacbench::trainer
