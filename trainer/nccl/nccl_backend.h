#pragma once

#include <memory>

#include "trainer/collectives/nccl_module.h"

namespace pacbench::trainer {

/// Collectives of c10d's ProcessGroupNCCL. NCCL is asked in the order of a stream of the backend's
/// own; a thread waits for the GPU to have done each of them, and sees failures and timeouts.
///
/// What NCCL lacks is made of what it has, with the bytes of the ring that it stands for: an OR of
/// bits is an all-to-all of shares, an OR of what was received, and an all-gather. Tensors of the
/// host travel through memory of the GPU.
std::shared_ptr<Backend> join_nccl_group(const NcclOptions& options);

}  // namespace pacbench::trainer
