#include "trainer/ddp/communication.h"

#include <fmt/format.h>

#include "trainer/collectives/real_time.h"

namespace pacbench {
namespace {

constexpr int kWirePriority = 5;
constexpr int kMethodPriority = 2;

GlooOptions options_of(const WorkerSpec& spec) {
  return {fmt::format("/proc/self/fd/{}", worker_fd::kRendezvous), spec.interface, spec.rank,
          spec.workers,
          std::chrono::milliseconds{static_cast<std::int64_t>(spec.timeout_s * 1000)}};
}

}  // namespace

Communication::Communication(const WorkerSpec& spec) {
  RealTimeScope for_its_threads{kWirePriority};
  real_time_ = for_its_threads.active();
  group_ = std::make_unique<GlooGroup>(options_of(spec));
  for_its_threads.lower_to(kMethodPriority);
  engine_ = std::make_unique<ExchangeEngine>(group_->backend(), make_method(spec.method, spec.link),
                                             spec.seed);
}

}  // namespace pacbench
