#include "trainer/roles/communication.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "trainer/collectives/gloo_group.h"
#include "trainer/collectives/nccl_module.h"
#include "trainer/collectives/real_time.h"
#include "trainer/collectives/reducer_group.h"
#include "trainer/compose/replayed_exchanges.h"
#include "trainer/rank/device.h"
#include "trainer/roles/meeting.h"

namespace pacbench::trainer {
namespace {

GlooOptions options_of(const WorkerSpec& spec, const StorePtr& store) {
  return {store, spec.interface, spec.rank, spec.workers, timeout_of(spec)};
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
  const GlooGroup group{options_of(spec, store)};
  // A replayed method sleeps instead of computing, so the engine's thread, which starts below, gets
  // the higher priority of sleepers, to wake up in time.
  if (is_replayed(spec)) for_its_threads.move_to(RealTimeScope::kSleeperPriority);
  return over(group.backend(), spec, real_time);
}

/// Calls CUDA only after this thread has left the real-time class, because CUDA starts threads,
/// which would inherit the class.
Communication over_gloo(const WorkerSpec& spec, const StorePtr& store) {
  if (!spec.real_time) leave_real_time();
  auto communication = spec.real_time
                           ? over_gloo_in_real_time(spec, store)
                           : over(GlooGroup{options_of(spec, store)}.backend(), spec, false);
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
  const auto backend = nccl_module().join({store, gpu, spec.rank, spec.workers, timeout_of(spec)});
  auto communication = over(backend, spec, false);
  communication.engine->take_gradients_from(gpu);
  return communication;
}

}  // namespace

Communication communication_between_processes(const WorkerSpec& spec, const StorePtr& store) {
  return spec.backend == "nccl" ? over_nccl(spec, store) : over_gloo(spec, store);
}

Communication communication_in_ordinary_class(const WorkerSpec& spec, const StorePtr& store) {
  const GlooGroup group{options_of(spec, store)};
  return over(group.backend(), spec, false);
}

Communication communication_over_threads(const WorkerSpec& spec, std::shared_ptr<Backend> backend) {
  auto communication = over(backend, spec, false);
  communication.engine->take_gradients_from(compute_device(spec));
  return communication;
}

}  // namespace pacbench::trainer
