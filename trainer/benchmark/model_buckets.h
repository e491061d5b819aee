#pragma once

#include <cstddef>
#include <string>

#include "contract/catalogue/choice.h"
#include "trainer/averaging/bucket.h"

namespace pacbench::trainer {

/// The buckets that DistributedDataParallel makes of a model before its first backward pass. A
/// bucket ends with the parameter that brings it to its limit. The limit is 1 MiB for the bucket
/// with the model's first parameters, which comes last, and `bucket_bytes` for the others. Each
/// prunable weight is masked with probability 1/2.
Layout pruned_buckets(const Choice& model, const std::string& dataset,
                      std::size_t bucket_bytes = 25 << 20);

/// Returns `layout` as a single bucket, for methods of scope kModel.
Layout as_one_bucket(const Layout& layout);

/// float[elements], normally distributed: the same numbers at each call with this bucket.
at::Tensor gradient_of(const BucketLayout& bucket);

}  // namespace pacbench::trainer
