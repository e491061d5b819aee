#pragma once

#include <cstddef>
#include <string>

#include "contract/catalogue/choice.h"
#include "trainer/methods/bucket.h"

namespace pacbench::trainer {

/// The buckets that DistributedDataParallel makes of a model, the first of at most 1 MiB and each
/// other of at most `bucket_bytes`, with half of every prunable weight masked by chance.
Layout pruned_buckets(const Choice& model, const std::string& dataset,
                      std::size_t bucket_bytes = 25 << 20);

/// Returns `layout` as a single bucket, for methods of scope kModel.
Layout as_one_bucket(const Layout& layout);

/// float[elements]: normal numbers, the same at each call.
at::Tensor gradient_of(const BucketLayout& bucket);

}  // namespace pacbench::trainer
