#pragma once

#include <memory>

#include "contract/worker/worker_spec.h"
#include "trainer/collectives/store.h"
#include "trainer/rank/control.h"

namespace pacbench::trainer {

/// The longest time that any collective, or the meeting of ranks, may take.
std::chrono::milliseconds timeout_of(const WorkerSpec& spec);

/// The store for ranks of one host, in the file behind descriptor `fd`, which this process was
/// started with (contract/worker/worker_spec.h).
StorePtr store_on_this_host(const WorkerSpec& spec, int fd);

/// The means by which a rank meets the others without the shaped links. Ranks use memory that they
/// share, or TCP to rank 0 where the specification names an address for their rendezvous.
struct Meeting {
  std::unique_ptr<Control> control;
  StorePtr group_store;   ///< for the group that exchanges gradients
  StorePtr sample_store;  ///< for samples of gradients; none where memory is shared

  /// Throws std::system_error, std::invalid_argument or c10::Error when the ranks cannot meet.
  explicit Meeting(const WorkerSpec& spec);
};

}  // namespace pacbench::trainer
