#pragma once

#include <cstdint>
#include <vector>

#include "trainer/collectives/collective.h"

namespace pacbench::trainer {

/// Elements of a chunk in Gloo's ring all-reduce (gloo/allreduce.cc, `ring`). The tensor is cut
/// into segments of at most 1 MiB. A chunk is one rank's segments: two or more, and as many for
/// each rank. The last chunks may be shorter or empty.
std::int64_t ring_chunk_elements(std::int64_t elements, std::int64_t element_bytes, int ranks);

/// Reduces the ranks' tensors (one-dimensional, of one size and type) in place, so that each holds
/// the bits that Gloo's ring would give it. Chunk c starts at rank c-1 and travels downwards to
/// ranks c-2, c-3, ..., c (modulo the number of ranks). Each rank adds its own elements. Every sum
/// is computed once and then copied to all ranks.
void ring_all_reduce(const std::vector<at::Tensor>& ranks, Reduction reduction);

}  // namespace pacbench::trainer
