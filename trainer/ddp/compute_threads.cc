#include "trainer/ddp/compute_threads.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <thread>

namespace pacbench {

int cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

int share_of_cores(int ranks) { return std::max(1, cores() / ranks); }

AllCores::AllCores(int ranks) : share_{share_of_cores(ranks)} { at::set_num_threads(cores()); }

AllCores::~AllCores() { at::set_num_threads(share_); }

}  // namespace pacbench
