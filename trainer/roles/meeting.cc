#include "trainer/roles/meeting.h"

#include <fmt/format.h>

#include "trainer/rank/control_page.h"
#include "trainer/rank/control_store.h"

namespace pacbench::trainer {

std::chrono::milliseconds timeout_of(const WorkerSpec& spec) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(spec.timeout_s * 1000)};
}

StorePtr store_on_this_host(const WorkerSpec& spec, int fd) {
  return store_in_file(fmt::format("/proc/self/fd/{}", fd), spec.workers, timeout_of(spec));
}

Meeting::Meeting(const WorkerSpec& spec) {
  if (spec.rendezvous.empty()) {
    control = std::make_unique<ControlPage>(worker_fd::kControl, spec.rank, spec.workers);
    group_store = store_on_this_host(spec, worker_fd::kRendezvous);
    return;
  }
  const auto store = store_at(StoreAddress::parse(spec.rendezvous), spec.rank, spec.workers,
                              worker_fd::kRendezvous, timeout_of(spec));
  control = std::make_unique<ControlStore>(part_of(store, "control"), spec.rank, spec.workers);
  group_store = part_of(store, "group");
  sample_store = part_of(store, "samples");
}

}  // namespace pacbench::trainer
