#include "trainer/roles/rank_resources.h"

#include <sys/mman.h>

#include "base/check.h"
#include "base/json/json_reader.h"
#include "contract/catalogue/python_name.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/rank/control_page.h"
#include "trainer/roles/meeting.h"

namespace pacbench::trainer {
namespace {

UniqueFd shared_memory(const char* name) {
  return UniqueFd{check("memfd_create", ::memfd_create(name, MFD_CLOEXEC))};
}

/// Null beside a user's task.
std::shared_ptr<const Dataset> catalogue_dataset(const WorkerSpec& spec) {
  if (is_users_class(spec.workload.dataset.name)) return nullptr;
  return dataset_of(spec.workload, spec.data_folder);
}

}  // namespace

RankResources process_resources(const WorkerSpec& spec) {
  if (spec.state_every != 0 || !spec.resume_state.empty()) {
    throw ConfigError{
        "worker specification",
        {{"/state_every", "found with role train or compose, expected with role learn only"}}};
  }
  // In this order: the threads that communicate are started before any that compute.
  Meeting meeting{spec};
  auto communication = communication_between_processes(spec, meeting.group_store);
  const bool shares_memory = spec.rendezvous.empty();
  return {std::move(meeting.control),
          std::move(communication),
          catalogue_dataset(spec),
          shares_memory ? LinkMeter::of_link(spec.interface) : LinkMeter::of_device(spec.interface),
          nullptr,
          shares_memory ? worker_fd::kGradients : -1,
          std::move(meeting.sample_store)};
}

ThreadResources::ThreadResources(const WorkerSpec& spec)
    : control_{shared_memory("pacbench-control")},
      gradients_{shared_memory("pacbench-gradients")},
      backends_{make_thread_group(spec.workers)},
      dataset_{catalogue_dataset(spec)},
      state_{std::make_shared<CellState>(spec)} {}

RankResources ThreadResources::of(const WorkerSpec& rank_spec) const {
  const auto& backend = backends_.at(static_cast<std::size_t>(rank_spec.rank));
  return {std::make_unique<ControlPage>(control_.get(), rank_spec.rank, rank_spec.workers),
          communication_over_threads(rank_spec, backend),
          dataset_,
          std::nullopt,
          state_,
          gradients_.get()};
}

}  // namespace pacbench::trainer
