#pragma once

#include <cstdint>

#include "trainer/averaging/bucket.h"

namespace pacbench::trainer {

/// The source of a rank's gradients and of their timing: a model that computes them, or a profile
/// of such a model. For a rank, this is the main difference between modes emulate and compose.
class GradientSource {
 public:
  virtual ~GradientSource() = default;

  /// Gives buckets their final shape. Call it before the training clock starts.
  virtual void warm_up() = 0;

  /// Measures how long computing takes while the other ranks wait, where the pace depends on that.
  /// Call it after warm_up, one rank after another.
  virtual void measure_quiet() {}
  virtual bool needs_measure() const { return false; }

  /// The buckets as they will be exchanged, without masks. Call it after warm_up.
  virtual Layout layout() const = 0;

  /// Whether prepare() must be called before every iteration.
  virtual bool needs_preparation() const { return false; }
  /// Prepares iteration `number`. Call it while the clock is stopped.
  virtual void prepare(std::int64_t /*number*/) {}

  /// Whether gradients train the weights, so that there is a learning curve.
  virtual bool trains() const { return true; }

  /// The parts of an iteration, to call one after another: begin() gets what forward() needs, and
  /// forward() returns the loss. Then backward() hands each bucket to the engine when it is ready,
  /// and returns when every gradient is the result of the method's exchange, with most methods the
  /// mean over all ranks or its approximation. Last, step() makes the optimiser's step. They throw
  /// the exception with which an exchange failed.
  virtual void begin(std::int64_t number) = 0;
  virtual double forward() = 0;
  virtual void backward() = 0;
  virtual void step(double lr) = 0;

  /// Runs another forward pass of the iteration, at the present weights, and returns its loss. The
  /// pass changes no gradient and no buffer of the model.
  virtual double loss() = 0;

  /// The time, by emulated_ns(), at which the last backward had this rank's last gradient ready.
  virtual std::int64_t last_gradient_ns() const = 0;

  /// Computes this rank's own gradient of iteration `number` for every parameter; nothing is
  /// exchanged.
  virtual void compute_alone(std::int64_t number) = 0;

  /// The hash of the weights; without training, of the gradients as the exchange left them. With
  /// most methods it is the same on all ranks after an iteration.
  virtual std::uint64_t hash() const = 0;
};

}  // namespace pacbench::trainer
