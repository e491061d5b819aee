#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "contract/worker/worker_spec.h"
#include "trainer/collectives/store.h"
#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer {

/// The objects that carry a rank's exchange: the engine that runs its method over a group, and the
/// c10d object of the same group that Reducer asks for.
struct Communication {
  c10::intrusive_ptr<c10d::ProcessGroup> process_group;
  std::unique_ptr<ExchangeEngine> engine;  ///< destroyed before process_group
  bool real_time = false;                  ///< its threads run in a real-time class
};

/// Makes the communication between processes that meet in `store`, over the backend that the
/// specification names. Call it before anything that starts threads that compute. Blocks until all
/// ranks have met; throws c10::Error (over NCCL also std::runtime_error) when they do not within
/// the timeout. Throws ConfigError when the device cannot be used, or not with this backend. Over
/// NCCL it also throws what nccl_module() throws.
///
/// This function starts Gloo's threads, and the one that encodes and decodes, in a real-time class
/// where permitted, so that they go before threads that compute. NCCL's threads stay in the
/// ordinary class: they spin while a collective is under way, and would keep everything else from
/// their cores.
Communication communication_between_processes(const WorkerSpec& spec, const StorePtr& store);

/// Makes communication over Gloo, all of whose threads keep the scheduling class of the thread that
/// calls this. It is for a second group beside or after the first; the second group needs a store
/// of its own.
Communication communication_in_ordinary_class(const WorkerSpec& spec, const StorePtr& store);

/// Makes communication over `backend`, which joins this rank to ranks in this process: threads
/// (make_thread_group), ranks that take turns (RanksInTurn) or simulated ones
/// (make_identical_ranks).
Communication communication_over_threads(const WorkerSpec& spec, std::shared_ptr<Backend> backend);

}  // namespace pacbench::trainer
