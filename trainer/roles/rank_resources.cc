#include "trainer/roles/rank_resources.h"

#include <sys/mman.h>

#include "base/check.h"
#include "base/json_reader.h"
#include "trainer/collectives/thread_group.h"

namespace pacbench::trainer {
namespace {

UniqueFd shared_memory(const char* name) {
  return UniqueFd{check("memfd_create", ::memfd_create(name, MFD_CLOEXEC))};
}

std::unique_ptr<ControlPage> page_in(int fd, const WorkerSpec& spec) {
  return std::make_unique<ControlPage>(fd, spec.rank, spec.workers);
}

}  // namespace

RankResources process_resources(const WorkerSpec& spec) {
  if (spec.state_every != 0 || !spec.resume_state.empty()) {
    throw ConfigError{"worker specification",
                      {{"/state_every", "found with role train, expected with role learn only"}}};
  }
  // In this order: the threads that communicate are started before any that compute.
  auto page = page_in(worker_fd::kControl, spec);
  auto communication = communication_between_processes(spec);
  return {std::move(page),
          std::move(communication),
          dataset_of(spec.workload, spec.data_folder),
          LinkMeter{spec.interface},
          nullptr,
          worker_fd::kGradients};
}

ThreadResources::ThreadResources(const WorkerSpec& spec)
    : control_{shared_memory("pacbench-control")},
      gradients_{shared_memory("pacbench-gradients")},
      backends_{make_thread_group(spec.workers)},
      dataset_{dataset_of(spec.workload, spec.data_folder)},
      state_{std::make_shared<CellState>(spec)} {}

RankResources ThreadResources::of(const WorkerSpec& rank_spec) const {
  const auto& backend = backends_.at(static_cast<std::size_t>(rank_spec.rank));
  return {page_in(control_.get(), rank_spec),
          communication_over_threads(rank_spec, backend),
          dataset_,
          std::nullopt,
          state_,
          gradients_.get()};
}

}  // namespace pacbench::trainer
