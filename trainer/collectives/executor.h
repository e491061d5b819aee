#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pacbench::trainer {

/// One thread that runs what is posted to it, in order. Every coroutine of a rank lives on one
/// executor, beside the thread that runs backward, so methods need no locks.
class Executor {
 public:
  Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();  ///< Runs what was posted, then joins.

  /// Can be called from any thread. What `work` throws ends the program.
  void post(std::function<void()> work);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pacbench::trainer
