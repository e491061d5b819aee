#pragma once

#include <memory>
#include <optional>

#include "base/unique_fd.h"
#include "trainer/data/dataset.h"
#include "trainer/rank/cell_state.h"
#include "trainer/rank/control.h"
#include "trainer/rank/link_meter.h"
#include "trainer/roles/communication.h"

namespace pacbench::trainer {

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
/// then reads the data. Throws when any of it fails.
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
