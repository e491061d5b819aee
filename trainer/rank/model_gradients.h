#pragma once

#include <memory>

#include "trainer/rank/data_parallel.h"
#include "trainer/rank/gradient_source.h"
#include "trainer/rank/replica.h"

namespace pacbench::trainer {

/// Gradients that a rank's replica computes, as backward makes them.
class ModelGradients final : public GradientSource {
 public:
  /// Forward and backward passes take as long as `pace` says, the optimiser's step as on this
  /// machine.
  ModelGradients(Replica& replica, ExchangeEngine& engine,
                 c10::intrusive_ptr<c10d::ProcessGroup> process_group, const ComputePace& pace);

  void warm_up() override;
  bool needs_measure() const override { return pace_.needs_measure(); }
  void measure_quiet() override;
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
  ComputePace pace_;
  DataParallel data_parallel_;
  Batch batch_;
  at::Tensor loss_;
};

}  // namespace pacbench::trainer
