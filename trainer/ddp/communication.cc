#include "trainer/ddp/communication.h"

#include <fmt/format.h>

#include "trainer/collectives/process_group.h"
#include "trainer/collectives/real_time.h"
#include "trainer/collectives/reducer_group.h"

namespace pacbench {
namespace {

constexpr int kWirePriority = 5;
constexpr int kMethodPriority = 2;

GlooOptions options_of(const WorkerSpec& spec, int rendezvous_fd) {
  return {fmt::format("/proc/self/fd/{}", rendezvous_fd), spec.interface, spec.rank, spec.workers,
          std::chrono::milliseconds{static_cast<std::int64_t>(spec.timeout_s * 1000)}};
}

std::unique_ptr<ExchangeEngine> engine_over(std::shared_ptr<Backend> backend,
                                            const WorkerSpec& spec) {
  return std::make_unique<ExchangeEngine>(std::move(backend), make_method(spec.method, spec.link),
                                          spec.seed);
}

}  // namespace

Communication communication_over_gloo(const WorkerSpec& spec) {
  RealTimeScope for_its_threads{kWirePriority};
  const bool real_time = for_its_threads.active();
  const GlooGroup group{options_of(spec, worker_fd::kRendezvous)};
  for_its_threads.lower_to(kMethodPriority);
  return {group.process_group(), engine_over(group.backend(), spec), real_time};
}

Communication communication_in_ordinary_class(const WorkerSpec& spec) {
  const GlooGroup group{options_of(spec, worker_fd::kControl)};
  return {group.process_group(), engine_over(group.backend(), spec), false};
}

Communication communication_over_threads(const WorkerSpec& spec, std::shared_ptr<Backend> backend) {
  return {reducer_group(backend), engine_over(backend, spec), false};
}

}  // namespace pacbench
