#include "trainer/collectives/executor.h"

#include <ATen/core/grad_mode.h>

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

void Executor::post(std::function<void()> work) {
  // Notified under the lock: a thread that is put to sleep behind it might find the executor gone.
  const std::lock_guard lock{mutex_};
  queue_.push_back(std::move(work));
  posted_.notify_one();
}

void Executor::run() {
  // For the whole life of the thread: a guard inside a coroutine would not follow it over a wait.
  const at::NoGradGuard no_grad;
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock{mutex_};
      posted_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace pacbench::trainer
