#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// The CPU cores on which hosts do their work for the messages that have arrived.
class Cores {
 public:
  /// All workers share `count` cores, first come, first served. With 0, no work waits for a core.
  Cores(Network& network, int count) : network_{network} {
    for (int core = 0; core < count; ++core) free_at_s_.push(0);
  }

  /// Calls `then` after `seconds` of work on one core.
  void work(double seconds, Then then);

 private:
  Network& network_;
  /// The times at which the cores become free, the earliest on top.
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at_s_;
};

}  // namespace pacbench::simulate
