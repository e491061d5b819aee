#include "trainer/roles/rank_resources.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <chrono>

#include "base/check.h"
#include "base/clock.h"
#include "base/errors.h"
#include "base/json/json_reader.h"
#include "contract/catalogue/python_name.h"
#include "trainer/collectives/gloo_group.h"
#include "trainer/collectives/nccl_module.h"
#include "trainer/collectives/real_time.h"
#include "trainer/collectives/reducer_group.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/compose/replayed_exchanges.h"
#include "trainer/rank/device.h"

namespace pacbench::trainer {
namespace {

/// The longest time that any collective, or the meeting of ranks, may take.
std::chrono::milliseconds timeout_of(const WorkerSpec& spec) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(spec.timeout_s * 1000)};
}

std::shared_ptr<Backend> gloo_group(const WorkerSpec& spec, const StorePtr& store) {
  return join_gloo_group({store, spec.rank, spec.workers, timeout_of(spec)}, spec.interface);
}

bool is_replayed(const WorkerSpec& spec) {
  return spec.compose && replays_exchanges(*spec.compose);
}

std::unique_ptr<Method> method_of(const WorkerSpec& spec) {
  if (is_replayed(spec)) return make_replayed(spec);
  return make_method(spec.method,
                     {spec.link, spec.workload.optimizer, spec.workload.max_iterations});
}

Communication over(const std::shared_ptr<Backend>& backend, const WorkerSpec& spec,
                   bool real_time) {
  return {reducer_group(backend),
          std::make_unique<ExchangeEngine>(backend, method_of(spec), spec.seed), real_time};
}

/// Leaves the real-time class, in which the daemon may have started this process.
void leave_real_time() { const RealTimeScope left_behind{RealTimeScope::kExchangePriority}; }

Communication over_gloo_in_real_time(const WorkerSpec& spec, const StorePtr& store) {
  RealTimeScope for_its_threads{RealTimeScope::kExchangePriority};
  const bool real_time = for_its_threads.active();
  const auto group = gloo_group(spec, store);
  // A replayed method sleeps instead of computing, so the engine's thread, which starts below, gets
  // the higher priority of sleepers, to wake up in time.
  if (is_replayed(spec)) for_its_threads.move_to(RealTimeScope::kSleeperPriority);
  return over(group, spec, real_time);
}

/// Calls CUDA only after this thread has left the real-time class, because CUDA starts threads,
/// which would inherit the class.
Communication over_gloo(const WorkerSpec& spec, const StorePtr& store) {
  if (!spec.real_time) leave_real_time();
  auto communication = spec.real_time ? over_gloo_in_real_time(spec, store)
                                      : communication_in_ordinary_class(spec, store);
  communication.engine->take_gradients_from(compute_device(spec));
  communication.engine->encode_at(spec.encode_speed);
  return communication;
}

Communication over_nccl(const WorkerSpec& spec, const StorePtr& store) {
  leave_real_time();
  const auto gpu = compute_device(spec);
  if (gpu.is_cpu()) {
    throw ConfigError{"worker specification",
                      {{"/backend", "found \"nccl\" on the CPU, expected \"gloo\""}}};
  }
  const auto backend = nccl_module().join({store, spec.rank, spec.workers, timeout_of(spec)}, gpu);
  auto communication = over(backend, spec, false);
  communication.engine->take_gradients_from(gpu);
  return communication;
}

UniqueFd shared_memory(const char* name) {
  return UniqueFd{check("memfd_create", ::memfd_create(name, MFD_CLOEXEC))};
}

/// Null beside a user's task.
std::shared_ptr<const Dataset> catalogue_dataset(const WorkerSpec& spec) {
  if (is_users_class(spec.workload.dataset.name)) return nullptr;
  return dataset_of(spec.workload, spec.data_folder);
}

}  // namespace

StorePtr store_on_this_host(const WorkerSpec& spec, int fd) {
  return store_in_file(fmt::format("/proc/self/fd/{}", fd), spec.workers, timeout_of(spec));
}

std::vector<double> time_all_reduces(ExchangeEngine& engine, std::int64_t elements, int rounds) {
  std::vector<double> times_s;
  engine.run([&](Group& group) -> Task<> {
    auto tensor = at::zeros({elements}, group.device());
    for (int round = 0; round < rounds; ++round) {
      const auto start_ns = emulated_ns();
      co_await group.all_reduce(tensor);
      times_s.push_back(seconds(emulated_ns() - start_ns));
    }
  });
  return times_s;
}

Communication communication_between_processes(const WorkerSpec& spec, const StorePtr& store) {
  return spec.backend == "nccl" ? over_nccl(spec, store) : over_gloo(spec, store);
}

Communication communication_in_ordinary_class(const WorkerSpec& spec, const StorePtr& store) {
  return over(gloo_group(spec, store), spec, false);
}

Communication communication_over_threads(const WorkerSpec& spec, std::shared_ptr<Backend> backend) {
  auto communication = over(backend, spec, false);
  communication.engine->take_gradients_from(compute_device(spec));
  return communication;
}

RankResources process_resources(const WorkerSpec& spec) {
  if (spec.state_every != 0 || !spec.resume_state.empty()) {
    throw ConfigError{
        "worker specification",
        {{"/state_every", "found with role train or compose, expected with role learn only"}}};
  }
  RankResources own;
  StorePtr group_store;
  const bool shares_memory = spec.rendezvous.empty();
  if (shares_memory) {
    own.control = control_in_memory(worker_fd::kControl, spec.rank, spec.workers);
    own.gradients_fd = worker_fd::kGradients;
    group_store = store_on_this_host(spec, worker_fd::kRendezvous);
  } else {
    const auto store = store_at(StoreAddress::parse(spec.rendezvous), spec.rank, spec.workers,
                                worker_fd::kRendezvous, timeout_of(spec));
    own.control = control_in_store(part_of(store, "control"), spec.rank, spec.workers);
    own.samples = part_of(store, "samples");
    group_store = part_of(store, "group");
  }
  // In this order: the threads that communicate are started before any that compute.
  own.communication = communication_between_processes(spec, group_store);
  own.dataset = catalogue_dataset(spec);
  own.meter =
      shares_memory ? LinkMeter::of_link(spec.interface) : LinkMeter::of_device(spec.interface);
  return own;
}

ThreadResources::ThreadResources(const WorkerSpec& spec)
    : control_{shared_memory("pacbench-control")},
      gradients_{shared_memory("pacbench-gradients")},
      backends_{make_thread_group(spec.workers)},
      dataset_{catalogue_dataset(spec)},
      state_{std::make_shared<CellState>(spec)} {}

RankResources ThreadResources::of(const WorkerSpec& rank_spec) const {
  const auto& backend = backends_.at(static_cast<std::size_t>(rank_spec.rank));
  return {control_in_memory(control_.get(), rank_spec.rank, rank_spec.workers),
          communication_over_threads(rank_spec, backend),
          dataset_,
          std::nullopt,
          state_,
          gradients_.get()};
}

}  // namespace pacbench::trainer
