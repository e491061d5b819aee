#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "spec/worker_spec.h"
#include "trainer/ddp/exchange_engine.h"

namespace pacbench {

/// What carries a rank's exchange: the engine that runs its method over a group, and the c10d
/// object of the same group that Reducer asks for.
struct Communication {
  c10::intrusive_ptr<c10d::ProcessGroup> process_group;
  std::unique_ptr<ExchangeEngine> engine;  ///< ends before its group
  bool real_time = false;                  ///< its threads run in a real-time class
};

/// Over Gloo, between processes. The threads are started here, in a real-time class where
/// permitted: Gloo's above the one that encodes and decodes, and both above computing. Call it
/// before anything that starts threads. Blocks until all ranks have met; throws c10::Error when
/// they do not within the timeout.
Communication communication_over_gloo(const WorkerSpec& spec);

/// The same with all threads in the calling one's class, a second group beside or after the first:
/// it meets over the control page's descriptor, which role measure has no other use for.
Communication communication_in_ordinary_class(const WorkerSpec& spec);

/// Over `backend`, one of a thread group's.
Communication communication_over_threads(const WorkerSpec& spec, std::shared_ptr<Backend> backend);

}  // namespace pacbench
