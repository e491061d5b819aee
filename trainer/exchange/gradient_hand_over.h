#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "trainer/collectives/executor.h"
#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer {

/// Brings a rank's gradients to its engine: at once where they lie in memory of the host, else
/// when their GPU has made them, in the memory that the engine's group sends from. What waits for
/// the GPU is a thread of its own, so that backward can go on asking for more.
class GradientHandOver {
 public:
  explicit GradientHandOver(ExchangeEngine& engine) : engine_{engine} {}

  /// Starts the exchange of `gradient`, in place, when all that the calling thread has asked of
  /// its device is done. `ended` is called on the engine's executor when the mean is there for
  /// what that thread asks of the GPU next, or with the failure.
  void start(int bucket, const at::Tensor& gradient, ExchangeEngine::Ended ended);

  /// When the last gradient was ready; to be asked for when its exchange has ended.
  std::int64_t last_ready_ns() const { return last_ready_ns_; }

 private:
  void exchange(int bucket, const at::Tensor& gradient, ExchangeEngine::Ended ended);

  ExchangeEngine& engine_;
  std::atomic<std::int64_t> last_ready_ns_ = 0;
  std::optional<Executor> waiting_;  ///< for a GPU
};

}  // namespace pacbench::trainer
