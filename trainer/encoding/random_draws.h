#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "trainer/kernels/philox.h"

namespace pacbench::trainer {

/// `count` different positions out of `elements`, each set of them as likely as any other:
/// ascending int64[count] on `device`. With RandomKey::kShared for a rank (Bucket::shared_random)
/// they are the same on all ranks.
at::Tensor random_positions(RandomKey key, std::int64_t count, std::int64_t elements,
                            c10::Device device);

/// float[count] on `device`, uniform in [0, 1): the stream's numbers from `first` on.
at::Tensor random_uniform(const RandomKey& key, std::int64_t first, std::int64_t count,
                          c10::Device device);

/// float[count] on the host, normally distributed with mean 0 and variance 1.
at::Tensor random_normal(RandomKey key, std::int64_t count);

}  // namespace pacbench::trainer
