#pragma once

#include <coroutine>
#include <exception>
#include <utility>
#include <vector>

#include "trainer/collectives/executor.h"

namespace pacbench::trainer {

/// An event that one exchange of a rank sets and the rank's other exchanges wait for: `co_await
/// group.until(event)`. It may be used on the rank's executor only.
class Event {
 public:
  /// Sets the event and resumes the waiting exchanges. With a `failure` they throw it.
  void set(Executor& executor, std::exception_ptr failure = nullptr) {
    happened_ = true;
    failure_ = std::move(failure);
    for (const auto waiting : std::exchange(waiting_, {})) {
      executor.post_ahead([waiting] { waiting.resume(); });
    }
  }

  bool happened() const { return happened_; }
  void add(std::coroutine_handle<> waiting) { waiting_.push_back(waiting); }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool happened_ = false;
  std::exception_ptr failure_;
  std::vector<std::coroutine_handle<>> waiting_;
};

}  // namespace pacbench::trainer
