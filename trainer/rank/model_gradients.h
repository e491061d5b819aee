#pragma once

#include <memory>

#include "trainer/rank/data_parallel.h"
#include "trainer/rank/gradient_source.h"
#include "trainer/rank/replica.h"

namespace pacbench::trainer {

/// Gradients that a rank's replica computes, as backward makes them.
class ModelGradients final : public GradientSource {
 public:
  /// Forward and backward passes are slowed to `compute_factor` times the time that this machine
  /// needs. The optimiser's step is not slowed.
  ModelGradients(Replica& replica, ExchangeEngine& engine,
                 c10::intrusive_ptr<c10d::ProcessGroup> process_group, double compute_factor);

  void warm_up() override;
  Layout layout() const override { return data_parallel_.layout(); }
  void begin(std::int64_t number) override;
  double forward() override;
  void backward() override;
  void step(double lr) override;
  double loss() override;
  std::int64_t last_gradient_ns() const override { return data_parallel_.last_gradient_ns(); }
  void compute_alone(std::int64_t number) override;
  std::uint64_t hash() const override { return hash_of(tensors_of(replica_.parameters())); }

 private:
  Replica& replica_;
  SlowCompute compute_;
  DataParallel data_parallel_;
  Batch batch_;
  at::Tensor loss_;
};

}  // namespace pacbench::trainer
