#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/averaging/bucket.h"
#include "trainer/averaging/pruning_plan.h"
#include "trainer/averaging/state_visitor.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/pruning/importance.h"
#include "trainer/training/evaluator.h"
#include "trainer/training/optimizer.h"

namespace pacbench::trainer {

/// A task has what a rank trains: a model with its data, its loss and its evaluation. Each rank has
/// an object of its own and uses it on the thread that trains.
class LearningTask {
 public:
  virtual ~LearningTask() = default;

  /// In the order that numbers them everywhere, on the device that computes.
  virtual const std::vector<Parameter>& parameters() const = 0;

  /// What a forward pass in training changes beside gradients: batch norm's running statistics.
  struct Buffer {
    std::string name;
    at::Tensor tensor;
  };
  virtual std::vector<Buffer> buffers() const = 0;
  /// Whether all ranks go on with rank 0's buffers after each step.
  virtual bool shares_buffers() const { return false; }

  /// A rank's part of a training batch, on the device that computes.
  virtual Batch batch(const BatchPosition& position) const = 0;

  /// The mean loss of a batch, from which a backward pass can begin.
  virtual at::Tensor loss(const Batch& batch) = 0;

  /// The optimiser that `options` names. One that is the task's own is named kOwnOptimizer.
  virtual std::unique_ptr<WeightOptimizer> optimizer(const Optimizer& options);

  /// Called before each step of the trainer's optimiser, with the mean in the gradients.
  virtual void clip_gradients() {}

  /// Visits what the task's own optimiser remembers.
  virtual void visit_state(StateVisitor&) {}

  /// How many samples are evaluated, and the evaluation of `count` of them from place `first` on.
  /// It changes neither parameters nor buffers.
  virtual std::int64_t evaluated_samples() const = 0;
  virtual Evaluation evaluate(std::int64_t first, std::int64_t count) = 0;

  /// How important each weight is by the plan's score. Throws ConfigError for a score that the task
  /// does not have.
  virtual Importances importances(const PruningPlan& plan, std::int64_t seed) = 0;
};

/// The task of a specification: a user's class, or a model and a data set of the catalogue. Reads
/// the data set where `dataset` is null. Sets a model's weights from spec.checkpoint where that is
/// given. Throws as make_model, load_checkpoint and compute_device do.
std::unique_ptr<LearningTask> task_of(const WorkerSpec& spec,
                                      std::shared_ptr<const Dataset> dataset = nullptr);

/// One rank's copy of what is trained, with the optimiser and the rank's batches.
class Replica {
 public:
  Replica(const WorkerSpec& spec, std::unique_ptr<LearningTask> task)
      : spec_{spec},
        task_{std::move(task)},
        optimizer_{task_->optimizer(spec.workload.optimizer)} {}
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  LearningTask& task() { return *task_; }
  c10::Device device() const { return parameters().front().tensor.device(); }
  const std::vector<Parameter>& parameters() const { return task_->parameters(); }
  WeightOptimizer& optimizer() { return *optimizer_; }

  /// This rank's part of the training batch of `iteration`, on the model's device.
  Batch batch(std::int64_t iteration) const {
    return task_->batch(
        {spec_.seed, iteration, spec_.rank, spec_.workers, spec_.workload.batch_per_worker});
  }
  std::vector<LearningTask::Buffer> buffers() const { return task_->buffers(); }

  at::Tensor loss(const Batch& batch) { return task_->loss(batch); }

  /// Both functions together visit all of the replica that one iteration leaves to the next.
  /// visit_weights visits the weights and the optimiser's state, which are equal on all ranks with
  /// most methods. visit_buffers visits batch norm's running statistics, which differ between
  /// ranks, and what a task's own optimiser remembers. They throw std::runtime_error for weights or
  /// buffers of another shape.
  void visit_weights(StateVisitor& visitor);
  void visit_buffers(StateVisitor& visitor);

 private:
  WorkerSpec spec_;
  std::unique_ptr<LearningTask> task_;
  std::unique_ptr<WeightOptimizer> optimizer_;
};

/// When destroyed, gives tensors back the values that they had at construction: batch norm's
/// running statistics, for forward passes other than the one that each iteration trains with, or
/// weights that others replace for a while.
class ValuesKept {
 public:
  explicit ValuesKept(const std::vector<at::Tensor>& tensors);
  ValuesKept(const ValuesKept&) = delete;
  ValuesKept& operator=(const ValuesKept&) = delete;
  ~ValuesKept();

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> values_;  ///< each with its copy
};

/// A hash of the bits of all `tensors`.
std::uint64_t hash_of(const std::vector<at::Tensor>& tensors);

/// The tensors of parameters or buffers.
template <typename Named>
std::vector<at::Tensor> tensors_of(const std::vector<Named>& all) {
  std::vector<at::Tensor> tensors;
  for (const auto& one : all) tensors.push_back(one.tensor);
  return tensors;
}

/// Adds a model's parameter to the end of a bucket. `number` is its place in parameters_of().
void add_to(BucketLayout& bucket, std::size_t number, const Parameter& parameter);

}  // namespace pacbench::trainer
