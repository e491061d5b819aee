#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pacbench::trainer {

/// One thread that runs what is posted to it, one after another. The exchanges of all buckets of a
/// rank run on one executor, apart from the thread that runs backward, so methods need no locks.
///
/// Work that continues an exchange is posted ahead of work that begins one. So a collective that is
/// ready does not wait for buckets whose encoding has not begun.
class Executor {
 public:
  Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();  ///< Runs what was posted, then joins.

  /// Can be called from any thread. An exception of `work` ends the program.
  void post(std::function<void()> work);
  /// Posts `work` to run before everything that waits in `post`'s queue.
  void post_ahead(std::function<void()> work);

  /// Whether posted work waits to run. The work that runs now does not count.
  bool has_waiting_work();

 private:
  using Queue = std::deque<std::function<void()>>;

  void post_to(Queue& queue, std::function<void()> work);
  void run();

  std::mutex mutex_;
  std::condition_variable posted_;
  Queue ahead_;
  Queue queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pacbench::trainer
