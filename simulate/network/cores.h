#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// The cores that carry out what connections ask of their hosts.
class Cores {
 public:
  /// `count` cores that all workers share, first come, first served; 0: nobody waits for one.
  Cores(Network& network, int count) : network_{network} {
    for (int core = 0; core < count; ++core) free_at_s_.push(0);
  }

  /// Calls `then` after `seconds` of work on one core.
  void work(double seconds, Then then);

 private:
  Network& network_;
  /// When each core is free, the earliest on top.
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at_s_;
};

}  // namespace pacbench::simulate
