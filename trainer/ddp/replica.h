#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "spec/worker_spec.h"
#include "trainer/data/dataset.h"
#include "trainer/methods/state_visitor.h"
#include "trainer/models/model.h"
#include "trainer/training/sgd.h"

namespace pacbench::trainer {

/// One rank's copy of the model on its device, with the optimiser and the batches it is to see.
class Replica {
 public:
  /// Makes the model, or reads its checkpoint; throws what these throw.
  Replica(const WorkerSpec& spec, std::shared_ptr<const Dataset> dataset);
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  Model& model() { return *model_; }
  c10::Device device() const { return parameters_.front().tensor.device(); }
  const Dataset& dataset() const { return *dataset_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  Sgd& sgd() { return sgd_; }

  /// This rank's share of the training batch of `iteration`, on the model's device.
  Batch batch(std::int64_t iteration) const;

  at::Tensor loss(const Batch& batch);

  /// All that one iteration leaves to the next: what is the same on all ranks (weights and their
  /// momentum), and what is this rank's own (batch norm's running statistics).
  void visit_shared_state(StateVisitor& visitor);
  void visit_own_state(StateVisitor& visitor);

  /// Of the bits of all weights.
  std::uint64_t hash_of_weights() const;

 private:
  WorkerSpec spec_;
  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Model> model_;
  std::vector<Parameter> parameters_;
  Sgd sgd_;
};

/// Batch norm's running statistics as they were when this was made, also after forward passes that
/// belong to no iteration.
class BuffersKept {
 public:
  explicit BuffersKept(const Model& model);
  BuffersKept(const BuffersKept&) = delete;
  BuffersKept& operator=(const BuffersKept&) = delete;
  ~BuffersKept();

 private:
  std::vector<at::Tensor> buffers_;
  std::vector<at::Tensor> before_;
};

std::vector<at::Tensor> tensors_of(const std::vector<Parameter>& parameters);

}  // namespace pacbench::trainer
