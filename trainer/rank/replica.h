#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/averaging/state_visitor.h"
#include "trainer/rank/learning_task.h"
#include "trainer/training/optimizer.h"

namespace pacbench::trainer {

/// One rank's copy of what is trained, with the optimiser and the rank's batches.
class Replica {
 public:
  Replica(const WorkerSpec& spec, std::unique_ptr<LearningTask> task);
  /// Of a model and data set of the catalogue; throws as catalogue_task().
  Replica(const WorkerSpec& spec, std::shared_ptr<const Dataset> dataset)
      : Replica{spec, catalogue_task(spec, std::move(dataset))} {}
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  LearningTask& task() { return *task_; }
  c10::Device device() const { return parameters().front().tensor.device(); }
  const std::vector<Parameter>& parameters() const { return task_->parameters(); }
  WeightOptimizer& optimizer() { return *optimizer_; }

  /// This rank's part of the training batch of `iteration`, on the model's device.
  Batch batch(std::int64_t iteration) const;
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

/// When destroyed, restores batch norm's running statistics to their values at construction. It is
/// for forward passes other than the one that each iteration trains with.
class BuffersKept {
 public:
  explicit BuffersKept(const Replica& replica);
  BuffersKept(const BuffersKept&) = delete;
  BuffersKept& operator=(const BuffersKept&) = delete;
  ~BuffersKept();

 private:
  std::vector<at::Tensor> buffers_;
  std::vector<at::Tensor> before_;
};

/// Replaces the model's weights by others for as long as this object lives.
class WeightsLent {
 public:
  WeightsLent(Replica& replica, const std::vector<at::Tensor>& weights);
  WeightsLent(const WeightsLent&) = delete;
  WeightsLent& operator=(const WeightsLent&) = delete;
  ~WeightsLent();

 private:
  Replica& replica_;
  std::vector<at::Tensor> before_;
};

/// A hash of the bits of all `tensors`.
std::uint64_t hash_of(const std::vector<at::Tensor>& tensors);

std::vector<at::Tensor> tensors_of(const std::vector<Parameter>& parameters);

}  // namespace pacbench::trainer
