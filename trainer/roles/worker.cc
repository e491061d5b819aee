#include "trainer/roles/worker.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>

#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "contract/worker/measure_spec.h"
#include "contract/worker/worker_event.h"
#include "contract/worker/worker_spec.h"
#include "trainer/averaging/averager.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/rank/compute_threads.h"
#include "trainer/rank/device.h"
#include "trainer/rank/event_log.h"
#include "trainer/roles/rank.h"
#include "trainer/roles/rank_resources.h"
#include "trainer/roles/tasks.h"
#include "trainer/training/pretrain.h"

namespace pacbench::trainer {
namespace {

/// Ends the process and with it all ranks in it; the first rank that fails reports its error.
[[noreturn]] void fail(const WorkerSpec& spec, std::int64_t iteration, const std::exception& error,
                       int events) {
  static std::mutex first;
  first.lock();
  std::cerr << "rank " << spec.rank << ": " << error.what() << std::endl;
  const bool diverged = dynamic_cast<const Diverged*>(&error) != nullptr;
  EventLog::end_process(events, {spec.rank, iteration, error.what(), diverged});
}

void run_rank(const WorkerSpec& spec, const std::function<RankResources()>& place, int events) {
  std::unique_ptr<Rank> rank;
  try {
    at::set_num_threads(share_of_cores(spec.workers));
    auto resources = place();
    resources.events_fd = events;
    rank = std::make_unique<Rank>(spec, std::move(resources));
    rank->train();
  } catch (const PeerFailed&) {
    // The rank that failed is about to report why, and ends this process.
  } catch (const std::exception& error) {
    if (rank) rank->flush();
    fail(spec, rank ? rank->iteration() : 0, error, events);
  }
}

/// Keeps freed memory (up to 1 GiB) in the process, for its next allocation. Otherwise memory goes
/// back to the system after every batch and is mapped and zeroed again, and threads that map memory
/// wait for each other.
void keep_freed_memory() {
  constexpr int kUpToBytes = 1 << 30;
  ::mallopt(M_MMAP_THRESHOLD, kUpToBytes);
  ::mallopt(M_TRIM_THRESHOLD, kUpToBytes);
}

/// Role learn: runs all ranks of a cell, each on a thread of its own.
void run_all_ranks(const WorkerSpec& spec, int events) {
  keep_freed_memory();
  at::set_num_threads(share_of_cores(spec.workers));
  std::unique_ptr<ThreadResources> places;
  try {
    places = std::make_unique<ThreadResources>(spec);
  } catch (const std::exception& error) {
    fail(spec, 0, error, events);
  }
  std::vector<std::jthread> ranks;
  for (int rank = 0; rank < spec.workers; ++rank) {
    ranks.emplace_back([&places, &spec, rank, events] {
      auto own = spec;
      own.rank = rank;
      run_rank(
          own, [&] { return places->of(own); }, events);
    });
  }
}

}  // namespace

int run_worker(const Json& document) {
  if (document.value("role", "") == MeasureSpec::kRole) {
    measure_all_reduces(measure_spec_from_json(document), claim_standard_output());
    return 0;
  }
  const auto spec = worker_spec_from_json(document);
  time_dilation = spec.time_dilation;
  if (spec.role == "train" || spec.role == "compose") {
    run_rank(
        spec, [&] { return process_resources(spec); }, claim_standard_output());
    return 0;
  }
  // Processes of roles measure, train and compose die with their daemon. A process of any other
  // role is pacbench's own child and must not outlive pacbench.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (spec.role == "pretrain") return run_pretraining(spec, compute_device(spec));
  if (spec.role == "profile") {
    run_profile(spec);
  } else if (spec.role == "profile-exchanges") {
    run_exchange_profile(spec);
  } else if (spec.role == "exchange-costs") {
    run_exchange_costs(spec);
  } else {
    run_all_ranks(spec, claim_standard_output());
  }
  return 0;
}

}  // namespace pacbench::trainer
