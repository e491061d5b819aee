#pragma once

#include <coroutine>
#include <exception>
#include <utility>
#include <vector>

#include "trainer/collectives/executor.h"

namespace pacbench::trainer {

/// Something that one exchange of a rank does and others of it wait for: `co_await
/// group.until(event)`. On the rank's executor alone.
class Event {
 public:
  /// It has happened, or failed: then those that wait for it fail likewise.
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
