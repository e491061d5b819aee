#pragma once

#include <ATen/Parallel.h>

#include <algorithm>

#include "base/clock.h"
#include "base/host.h"

namespace pacbench::trainer {

/// The number of threads for each of `ranks` ranks that compute at the same time: the usable cores
/// divided by `ranks`, at least one. With time dilation a rank has one core in emulated time.
inline int share_of_cores(int ranks) {
  return time_dilation > 1 ? 1 : std::max(1, usable_cores() / ranks);
}

/// While an object of this class lives, the calling thread computes on all usable cores; afterwards
/// on its share of them again. Use it while the other ranks wait: it does not stop them.
class AllCores {
 public:
  explicit AllCores(int ranks) : share_{share_of_cores(ranks)} {
    at::set_num_threads(usable_cores());
  }
  AllCores(const AllCores&) = delete;
  AllCores& operator=(const AllCores&) = delete;
  ~AllCores() { at::set_num_threads(share_); }

 private:
  int share_;
};

}  // namespace pacbench::trainer
