#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "trainer/collectives/backend.h"

namespace pacbench::trainer {

/// The error of the other ranks' collectives when one rank has failed.
class PeerFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// N ranks as threads of one process, with Gloo's collectives and bits but without a network: sums
/// are made in the order of Gloo's ring (collectives/ring_sum.h). A call that does not match the
/// other ranks' (kind, type, size) fails on all ranks with both descriptions, so that a test finds
/// a wrong order where Gloo would add wrong numbers.
std::vector<std::shared_ptr<Backend>> make_thread_group(int size);

}  // namespace pacbench::trainer
