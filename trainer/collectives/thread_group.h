#pragma once

#include <cstdint>
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

/// Elements of a chunk in Gloo's ring all-reduce (gloo/allreduce.cc, `ring`). The tensor is cut
/// into segments of at most 1 MiB. A chunk is one rank's segments: two or more, and as many for
/// each rank. The last chunks may be shorter or empty.
std::int64_t ring_chunk_elements(std::int64_t elements, std::int64_t element_bytes, int ranks);

/// Returns one backend for each of `size` ranks in this process, without a network. Results have
/// the same bits as Gloo's, since sums are made in the order of its ring. A collective fails on all
/// ranks when their calls differ in kind, type, size, reduction or root; the error describes both
/// calls. An all-to-all or send-receive may differ in size, but fails when a rank sends another
/// number of elements than its peer expects. So a test finds a wrong order where Gloo would add
/// wrong numbers.
std::vector<std::shared_ptr<Backend>> make_thread_group(int size);

}  // namespace pacbench::trainer
