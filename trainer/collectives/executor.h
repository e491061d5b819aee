#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace pacbench::trainer {

/// One thread that runs what is posted to it, one after another. The exchanges of all buckets of a
/// rank run on one executor, apart from the thread that runs backward, so methods need no locks.
///
/// Work that continues an exchange is posted ahead of work that begins one. So a collective that is
/// ready does not wait for buckets whose encoding has not begun.
class Executor {
 public:
  /// kOwnCore: with time dilation the thread has a core of its own (own_core.h). kUnpaced: what it
  /// runs carries bytes or waits, and takes as long as it takes.
  enum class Pace { kUnpaced, kOwnCore };
  explicit Executor(Pace pace = Pace::kUnpaced) : pace_{pace}, thread_{[this] { run(); }} {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();  ///< Runs what was posted, then joins.

  /// Can be called from any thread. An exception of `work` ends the program.
  void post(std::function<void()> work) { post_to(queue_, std::move(work)); }
  /// Posts `work` to run before everything that waits in `post`'s queue.
  void post_ahead(std::function<void()> work) { post_to(ahead_, std::move(work)); }

  /// Whether posted work waits to run. The work that runs now does not count.
  bool has_waiting_work();

 private:
  struct Posted {
    std::function<void()> work;
    std::int64_t at_ns = 0;
  };
  using Queue = std::deque<Posted>;

  void post_to(Queue& queue, std::function<void()> work);
  void run();
  void run_at_pace(const Posted& posted, std::int64_t& free_ns);

  Pace pace_;
  std::mutex mutex_;
  std::condition_variable posted_;
  Queue ahead_;
  Queue queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pacbench::trainer
