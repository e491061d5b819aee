#pragma once

#include <memory>

#include "trainer/collectives/nccl_module.h"

namespace pacbench::trainer {

/// Collectives of c10d's ProcessGroupNCCL. The backend issues them in order in a stream of its own.
/// A thread waits until the GPU has carried out each one, and notices failures and timeouts.
///
/// NCCL has no OR of bits. The backend makes it of an all-to-all of equal parts, an OR of the
/// received parts, and an all-gather. Together they send as many bytes as a ring all-reduce, but
/// for padding. Tensors of the host travel through memory of the GPU.
std::shared_ptr<Backend> join_nccl_group(const NcclOptions& options);

}  // namespace pacbench::trainer
