#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "trainer/collectives/own_core.h"
#include "trainer/exchange/exchange_engine.h"
#include "trainer/rank/gradient_source.h"
#include "trainer/rank/replica.h"

namespace pacbench::trainer {

/// Keeps the pieces of a rank's computing, forward and then backward up to each bucket, at the pace
/// of a worker: it takes `factor` times as long as this machine, or with time dilation as a core of
/// this machine. With `compute_ms` above 0 an iteration takes `factor` times as long as that. A
/// piece ends before its result is used, so that buckets are ready as late as on that worker.
class ComputePace {
 public:
  explicit ComputePace(double factor, double compute_ms = 0)
      : factor_{factor}, compute_ms_{compute_ms} {}

  bool slows() const { return factor_ != 1 || compute_ms_ > 0; }
  /// Whether measure() must be called first.
  bool needs_measure() const { return time_dilation > 1 || compute_ms_ > 0; }

  /// Forward began as the thread's piece (OwnCore::begin()) and has ended; waits as long as the
  /// pace asks.
  void end_forward();
  /// The same of backward up to a bucket.
  void end_piece();

  /// Runs iterations whose pieces nobody waits for. Afterwards a piece counts as long as it took
  /// there at most (the median). On a busy machine the CPU time of a thread is longer: the kernel
  /// charges packets to the thread that they interrupt, and threads share caches. Throws
  /// std::runtime_error where this machine needs longer than compute_ms.
  void measure(const std::function<void()>& iterations);
  bool measures() const { return measures_; }

 private:
  void note_cost();
  std::int64_t most_ns() const {
    return piece_ < quiet_ns_.size() ? quiet_ns_[piece_] : OwnCore::kAnyCost;
  }

  double factor_;
  double compute_ms_;
  bool measures_ = false;
  std::size_t piece_ = 0;
  std::vector<std::vector<std::int64_t>> measured_ns_;  ///< of each piece
  std::vector<std::int64_t> quiet_ns_;
};

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

  const std::vector<Parameter>& parameters_;
  ComputePace& pace_;
  bool alone_ = false;  ///< true: buckets are not handed to the engine
  GradientHandOver hand_over_;
  std::unique_ptr<c10d::Reducer> reducer_;
};

/// Gradients that a rank's replica computes, as backward makes them.
class ModelGradients final : public GradientSource {
 public:
  /// Forward and backward passes take as long as `pace` says, the optimiser's step as on this
  /// machine.
  ModelGradients(Replica& replica, ExchangeEngine& engine,
                 c10::intrusive_ptr<c10d::ProcessGroup> process_group, const ComputePace& pace)
      : replica_{replica},
        pace_{pace},
        data_parallel_{replica.parameters(), engine, std::move(process_group), pace_} {}

  void warm_up() override;
  bool needs_measure() const override { return pace_.needs_measure(); }
  void measure_quiet() override;
  Layout layout() const override { return data_parallel_.layout(); }
  void begin(std::int64_t number) override;
  double forward() override;
  void backward() override { data_parallel_.backward(std::exchange(loss_, at::Tensor{})); }
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
