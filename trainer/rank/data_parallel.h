#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <vector>

#include "contract/worker/worker_event.h"
#include "trainer/exchange/exchange_engine.h"
#include "trainer/exchange/gradient_hand_over.h"
#include "trainer/models/model.h"
#include "trainer/rank/compute_pace.h"

namespace pacbench::trainer {

/// Data parallel training of one rank: c10d's Reducer makes buckets out of gradients as backward
/// produces them, and hands each to the engine's method while backward goes on.
class DataParallel {
 public:
  DataParallel(const std::vector<Parameter>& parameters, ExchangeEngine& engine,
               c10::intrusive_ptr<c10d::ProcessGroup> process_group, ComputePace& pace);
  ~DataParallel();

  /// Gives buckets their final shape. One backward pass that exchanges nothing shows Reducer in
  /// what order gradients become ready; then Reducer rebuilds its buckets once. Afterwards
  /// gradients are zero. Call it before the training clock starts.
  void warm_up(const std::function<at::Tensor()>& loss);

  /// The buckets as they will be exchanged, without masks. Call it after warm_up.
  Layout layout() const;

  /// Runs backward; returns when every parameter's gradient is the result of the method's exchange,
  /// which with most methods is the mean over all ranks or its approximation. Throws the exception
  /// with which an exchange failed.
  void backward(const at::Tensor& loss);

  /// Runs backward without an exchange: every parameter's gradient is this rank's own.
  void backward_alone(const at::Tensor& loss);

  void zero_gradients();

  /// The time, by emulated_ns(), at which the latest backward() had all of this rank's own
  /// gradients ready.
  std::int64_t last_gradient_ns() const { return hand_over_.last_ready_ns(); }

 private:
  class Hook;

  void slow_down(c10::Device device);

  const std::vector<Parameter>& parameters_;
  ComputePace& pace_;
  bool alone_ = false;  ///< true: buckets are not handed to the engine
  GradientHandOver hand_over_;
  std::unique_ptr<c10d::Reducer> reducer_;
};

}  // namespace pacbench::trainer
