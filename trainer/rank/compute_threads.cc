#include "trainer/rank/compute_threads.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "base/clock.h"
#include "base/cores.h"

namespace pacbench::trainer {

int share_of_cores(int ranks) {
  // A rank has one core in emulated time.
  return time_dilation > 1 ? 1 : std::max(1, usable_cores() / ranks);
}

AllCores::AllCores(int ranks) : share_{share_of_cores(ranks)} {
  at::set_num_threads(usable_cores());
}

AllCores::~AllCores() { at::set_num_threads(share_); }

}  // namespace pacbench::trainer
