#include "trainer/averaging/bucket_mask.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

namespace pacbench::trainer {
namespace {

std::int64_t words_of(const ParameterSlice& slice) { return (slice.elements + 63) / 64; }

}  // namespace

void BucketMask::add(const ParameterSlice& slice, KeptBits bits) {
  const auto kept = bits.kept;
  parts_.push_back({slice.parameter, slice.offset, std::move(bits), kept_, kept});
  kept_ += kept;
}

BucketMask BucketMask::everything(const BucketLayout& bucket, c10::Device device) {
  BucketMask mask;
  for (const auto& slice : bucket.slices) mask.add(slice, keep_all(slice.elements, device));
  return mask;
}

BucketMask BucketMask::of_weights(const BucketLayout& bucket, c10::Device device) {
  BucketMask mask;
  for (const auto& slice : bucket.slices) {
    mask.add(slice, slice.mask.defined() ? kept_bits(slice.mask.to(device))
                                         : keep_all(slice.elements, device));
  }
  return mask;
}

BucketMask BucketMask::of_nonzeros(const BucketLayout& bucket, const at::Tensor& gradient) {
  BucketMask mask;
  for (const auto& slice : bucket.slices) {
    mask.add(slice, nonzero_bits(gradient.narrow(0, slice.offset, slice.elements)));
  }
  return mask;
}

BucketMask BucketMask::of_words(const BucketLayout& bucket, const at::Tensor& words,
                                const BucketMask& possible) {
  BucketMask mask;
  std::int64_t begin = 0;
  for (const auto& slice : bucket.slices) {
    mask.add(slice, kept_bits(words.narrow(0, begin, words_of(slice)), slice.elements));
    begin += words_of(slice);
    mask.parts_.back().possible = possible.parts_.at(mask.parts_.size() - 1).possible;
  }
  return mask;
}

at::Tensor BucketMask::words() const {
  std::vector<at::Tensor> all;
  for (const auto& part : parts_) all.push_back(part.bits.words);
  return all.empty() ? at::empty({0}, at::kLong) : at::cat(all);
}

std::int64_t BucketMask::word_count(const BucketLayout& bucket) {
  std::int64_t count = 0;
  for (const auto& slice : bucket.slices) count += words_of(slice);
  return count;
}

void BucketMask::compact(const at::Tensor& gradient, const at::Tensor& out) const {
  for (const auto& part : parts_) {
    pacbench::trainer::compact(part.of_bucket(gradient), part.bits, part.of_compacted(out));
  }
}

void BucketMask::scatter(const at::Tensor& values, const at::Tensor& gradient) const {
  for (const auto& part : parts_) {
    pacbench::trainer::scatter(part.of_compacted(values), part.bits, part.of_bucket(gradient));
  }
}

void BucketMask::zero_outside(const at::Tensor& gradient) const {
  for (const auto& part : parts_)
    pacbench::trainer::zero_outside(part.of_bucket(gradient), part.bits);
}

bool BucketMask::any_outside(const at::Tensor& gradient) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return pacbench::trainer::any_outside(part.of_bucket(gradient), part.bits);
  });
}

}  // namespace pacbench::trainer
