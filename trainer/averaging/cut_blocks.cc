#include "trainer/averaging/cut_blocks.h"

#include <ATen/Functions.h>

#include "trainer/kernels/largest.h"

namespace pacbench::trainer {

CutBlocks::CutBlocks(const SparseCode& code, const at::Tensor& values, int blocks)
    : code_{code},
      sums_{at::zeros({blocks, (values.numel() + blocks - 1) / blocks}, values.options())},
      dropped_{at::zeros_like(sums_)} {
  sums_.flatten().narrow(0, 0, values.numel()).copy_(values);
}

at::Tensor CutBlocks::take_largest(int block, int ranks) {
  auto sum = sums_[block];
  const auto places = largest(sum, code_.kept());
  const auto payload = code_.encode(sum.index_select(0, places), places);
  sum.index_fill_(0, places, 0);
  dropped_[block].add_(sum, 1.0 / ranks);
  sum.zero_();
  return payload;
}

void CutBlocks::add(const at::Tensor& payload, int block) { code_.add(payload, sums_[block]); }

void CutBlocks::deliver(const at::Tensor& gathered, int ranks, Bucket& bucket) const {
  auto total = at::zeros_like(sums_);
  auto arrived = at::zeros_like(sums_, at::kBool);
  for (std::int64_t block = 0; block < total.size(0); ++block) {
    const auto payload = gathered.narrow(0, block * code_.words(), code_.words());
    code_.add(payload, total[block]);
    arrived[block].index_fill_(0, code_.places_in(payload).to(at::kLong), true);
  }
  const auto in_bucket = [&bucket](const at::Tensor& blocks) {
    return blocks.flatten().narrow(0, 0, bucket.layout.elements);
  };
  if (bucket.keeps_rest) {
    bucket.own.copy_(at::where(in_bucket(arrived), in_bucket(dropped_), bucket.own));
  }
  bucket.mean.copy_(in_bucket(total.div_(ranks)));
}

}  // namespace pacbench::trainer
