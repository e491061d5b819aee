#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "trainer/collectives/executor.h"
#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer {

/// Hands a rank's gradients to its engine. A gradient in host memory is handed over at once. A
/// gradient on a GPU is handed over when the GPU has computed it. If the engine's group sends from
/// other memory, the gradient is copied there first, and the mean is copied back. A separate thread
/// waits for the GPU, so backward can go on queueing work.
class GradientHandOver {
 public:
  explicit GradientHandOver(ExchangeEngine& engine) : engine_{engine} {}

  /// Starts the exchange of `gradient`, in place, when its device has done all that the calling
  /// thread has queued. Calls `ended` on the engine's executor when work that the calling thread
  /// queues next will find the mean in `gradient`, or with the failure. A failure before the
  /// exchange may reach `ended` on another thread.
  void start(int bucket, const at::Tensor& gradient, ExchangeEngine::Ended ended);

  /// The time at which the last gradient was ready. Read it only after that gradient's exchange.
  std::int64_t last_ready_ns() const { return last_ready_ns_; }

 private:
  void exchange(int bucket, const at::Tensor& gradient, ExchangeEngine::Ended ended);

  ExchangeEngine& engine_;
  std::atomic<std::int64_t> last_ready_ns_ = 0;
  std::optional<Executor> waiting_;  ///< its thread waits for a GPU
};

}  // namespace pacbench::trainer
