#pragma once

#include <deque>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// The one thread on which a rank's exchanges work, in simulated time. Work that continues an
/// exchange runs before work that begins one, as in the worker (trainer/collectives/executor.h).
class Executor {
 public:
  explicit Executor(Network& network) : network_{network} {}

  /// Calls `then` after `work_s` of work, behind all that was posted before or is posted ahead.
  void post(double work_s, Then then) { add(queue_, work_s, std::move(then)); }
  /// Calls `then` after `work_s` of work, before everything that waits in `post`'s queue.
  void post_ahead(double work_s, Then then) { add(ahead_, work_s, std::move(then)); }

 private:
  struct Work {
    double work_s = 0;
    Then then;
  };
  using Queue = std::deque<Work>;

  void add(Queue& queue, double work_s, Then then);
  void run();

  Network& network_;
  Queue ahead_;
  Queue queue_;
  bool busy_ = false;
};

}  // namespace pacbench::simulate
