#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contract/worker/worker_spec.h"
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

/// The task of a model and a data set of the catalogue. Sets the weights from spec.checkpoint where
/// that is given. Throws as make_model, load_checkpoint and compute_device do.
std::unique_ptr<LearningTask> catalogue_task(const WorkerSpec& spec,
                                             std::shared_ptr<const Dataset> dataset);

/// The task of a specification: a user's class, or a model and a data set of the catalogue. Reads
/// the data set where `dataset` is null.
std::unique_ptr<LearningTask> task_of(const WorkerSpec& spec,
                                      std::shared_ptr<const Dataset> dataset = nullptr);

}  // namespace pacbench::trainer
