#include "trainer/collectives/executor.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <utility>

namespace pacbench::trainer {

Executor::Executor() : thread_{[this] { run(); }} {}

Executor::~Executor() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

void Executor::post(std::function<void()> work) { post_to(queue_, std::move(work)); }

void Executor::post_ahead(std::function<void()> work) { post_to(ahead_, std::move(work)); }

bool Executor::has_waiting_work() {
  const std::lock_guard lock{mutex_};
  return !ahead_.empty() || !queue_.empty();
}

void Executor::post_to(Queue& queue, std::function<void()> work) {
  // Notified under the lock: after unlocking, this thread might find the executor destroyed.
  const std::lock_guard lock{mutex_};
  queue.push_back(std::move(work));
  posted_.notify_one();
}

void Executor::run() {
  // A guard acts on its thread. One inside a coroutine would not follow the coroutine to the thread
  // that resumes it, so this one lasts for the thread's whole life.
  const at::NoGradGuard no_grad;
  // No operation here is differentiated, so operators skip autograd's layers, whose cost does not
  // shrink with the tensor.
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock{mutex_};
      posted_.wait(lock, [this] { return stopping_ || !ahead_.empty() || !queue_.empty(); });
      auto& next = ahead_.empty() ? queue_ : ahead_;
      if (next.empty()) return;
      work = std::move(next.front());
      next.pop_front();
    }
    work();
  }
}

}  // namespace pacbench::trainer
