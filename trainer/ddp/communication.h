#pragma once

#include <memory>

#include "spec/worker_spec.h"
#include "trainer/collectives/process_group.h"
#include "trainer/ddp/exchange_engine.h"

namespace pacbench {

/// What carries a rank's exchange: its group of processes, and the engine that runs its method.
/// Their threads are started here, in a real-time class where permitted: Gloo's above the one that
/// encodes and decodes, and both above computing. Make it before anything that starts threads.
class Communication {
 public:
  /// Blocks until all ranks have met. Throws c10::Error when they do not within the timeout.
  explicit Communication(const WorkerSpec& spec);

  GlooGroup& group() { return *group_; }
  ExchangeEngine& engine() { return *engine_; }
  bool real_time() const { return real_time_; }

 private:
  std::unique_ptr<GlooGroup> group_;
  std::unique_ptr<ExchangeEngine> engine_;
  bool real_time_ = false;
};

}  // namespace pacbench
