#include "simulate/ranks/executor.h"

#include <utility>

namespace pacbench::simulate {

void Executor::add(Queue& queue, double work_s, Then then) {
  queue.push_back({work_s, std::move(then)});
  run();
}

void Executor::run() {
  while (!busy_ && !(ahead_.empty() && queue_.empty())) {
    auto& queue = ahead_.empty() ? queue_ : ahead_;
    auto work = std::move(queue.front());
    queue.pop_front();
    busy_ = true;
    const auto end = [this, then = std::move(work.then)] {
      then();
      busy_ = false;
    };
    // Work that takes no time needs no event.
    if (work.work_s <= 0) {
      end();
      continue;
    }
    network_.after(work.work_s, [this, end] {
      end();
      run();
    });
  }
}

}  // namespace pacbench::simulate
