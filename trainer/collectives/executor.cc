#include "trainer/collectives/executor.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "base/clock.h"
#include "trainer/collectives/own_core.h"

namespace pacbench::trainer {

Executor::~Executor() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

bool Executor::has_waiting_work() {
  const std::lock_guard lock{mutex_};
  return !ahead_.empty() || !queue_.empty();
}

void Executor::post_to(Queue& queue, std::function<void()> work) {
  // Notified under the lock: after unlocking, this thread might find the executor destroyed.
  const std::lock_guard lock{mutex_};
  queue.push_back({std::move(work), monotonic_ns()});
  posted_.notify_one();
}

void Executor::run() {
  // A guard acts on its thread. One inside a coroutine would not follow the coroutine to the thread
  // that resumes it, so this one lasts for the thread's whole life.
  const at::NoGradGuard no_grad;
  // No operation here is differentiated, so operators skip autograd's layers, whose cost does not
  // shrink with the tensor.
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  auto free_ns = monotonic_ns();
  for (;;) {
    Posted next_one;
    {
      std::unique_lock lock{mutex_};
      posted_.wait(lock, [this] { return stopping_ || !ahead_.empty() || !queue_.empty(); });
      auto& next = ahead_.empty() ? queue_ : ahead_;
      if (next.empty()) return;
      next_one = std::move(next.front());
      next.pop_front();
    }
    pace_ == Pace::kOwnCore ? run_at_pace(next_one, free_ns) : next_one.work();
  }
}

/// Runs work as on a core that is free from `free_ns` on, and so begins when the work was posted.
void Executor::run_at_pace(const Posted& posted, std::int64_t& free_ns) {
  auto& core = OwnCore::of_this_thread();
  core.begin(std::max(posted.at_ns, free_ns));
  posted.work();
  core.catch_up();
  free_ns = core.began_ns();
}

}  // namespace pacbench::trainer
