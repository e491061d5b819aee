#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "base/unique_fd.h"
#include "contract/worker/worker_spec.h"
#include "trainer/collectives/store.h"
#include "trainer/data/dataset.h"
#include "trainer/exchange/exchange_engine.h"
#include "trainer/rank/cell_state.h"
#include "trainer/rank/control.h"
#include "trainer/rank/link_meter.h"

namespace pacbench::trainer {

/// The objects that carry a rank's exchange: the engine that runs its method over a group, and the
/// c10d object of the same group that Reducer asks for.
struct Communication {
  c10::intrusive_ptr<c10d::ProcessGroup> process_group;
  std::unique_ptr<ExchangeEngine> engine;  ///< destroyed before process_group
  bool real_time = false;                  ///< its threads run in a real-time class
};

/// The store for ranks of one host, in the file behind descriptor `fd`, which this process was
/// started with (contract/worker/worker_spec.h).
StorePtr store_on_this_host(const WorkerSpec& spec, int fd);

/// The seconds that each of `rounds` all-reduces of `elements` floats takes, one after another.
std::vector<double> time_all_reduces(ExchangeEngine& engine, std::int64_t elements, int rounds);

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

/// The resources of a rank: everything that differs between a rank that is a process behind a link
/// and a rank that is a thread among others.
struct RankResources {
  std::unique_ptr<Control> control;
  Communication communication;
  std::shared_ptr<const Dataset> dataset;  ///< null beside a user's task, which has its own
  std::optional<LinkMeter> meter;          ///< none where there is no link
  std::shared_ptr<CellState> state;        ///< of all ranks; none where it is not kept
  int gradients_fd = -1;                   ///< a memfd that all ranks share; -1: they share none
  StorePtr samples = nullptr;  ///< carries sampled gradients where ranks share no memory
  int events_fd = 1;           ///< the descriptor to which events are written
};

/// The resources of a rank that is a process (role train or compose): it meets the other ranks,
/// without the shaped links, then reads the data. Ranks meet in memory that they share, or over TCP
/// to rank 0 where the specification names an address for their rendezvous. Throws when any of it
/// fails.
RankResources process_resources(const WorkerSpec& spec);

/// The resources of all ranks as threads of this process (role learn): they share the data set and
/// meet in memory. Throws what reading data and state throws.
class ThreadResources {
 public:
  explicit ThreadResources(const WorkerSpec& spec);

  /// Call it once for each rank, in the thread that trains.
  RankResources of(const WorkerSpec& rank_spec) const;

 private:
  UniqueFd control_;
  UniqueFd gradients_;
  std::vector<std::shared_ptr<Backend>> backends_;
  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<CellState> state_;
};

}  // namespace pacbench::trainer
