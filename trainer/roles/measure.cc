#include "trainer/roles/tasks.h"

#include "trainer/rank/event_log.h"
#include "trainer/roles/rank_resources.h"

namespace pacbench::trainer {
namespace {

WorkerSpec as_rank(const MeasureSpec& spec) {
  WorkerSpec rank;
  rank.rank = spec.rank;
  rank.workers = spec.workers;
  rank.interface = spec.interface;
  rank.timeout_s = spec.timeout_s;
  rank.method = {"all-reduce", Json::object()};
  return rank;
}

/// The seconds that each round took. Before these, a round that does not count touches the memory
/// and opens TCP's windows.
std::vector<double> time_rounds(ExchangeEngine& engine, const MeasureSpec::AllReduce& call) {
  const auto elements = call.bytes / static_cast<std::int64_t>(sizeof(float));
  auto times_s = time_all_reduces(engine, elements, call.rounds + 1);
  times_s.erase(times_s.begin());
  return times_s;
}

}  // namespace

void measure_all_reduces(const MeasureSpec& spec, int events) {
  EventLog log{events};
  const auto rank = as_rank(spec);
  {
    const auto communication =
        communication_between_processes(rank, store_on_this_host(rank, worker_fd::kRendezvous));
    for (const auto& call : spec.all_reduces) {
      const auto times_s = time_rounds(*communication.engine, call);
      log.write(AllReduceEvent{spec.rank, call.bytes, communication.real_time, times_s});
    }
  }
  if (spec.ordinary_rounds == 0) return;
  // Role measure uses descriptor kControl for nothing else.
  const auto ordinary =
      communication_in_ordinary_class(rank, store_on_this_host(rank, worker_fd::kControl));
  const auto times_s = time_rounds(*ordinary.engine, {kFloorBytes, spec.ordinary_rounds});
  log.write(AllReduceEvent{spec.rank, kFloorBytes, false, times_s});
}

}  // namespace pacbench::trainer
