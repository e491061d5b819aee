#include "trainer/collectives/ring_sum.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kLargestSegmentBytes = 1 << 20;

// A block is so small that all ranks' blocks stay in the cache until the sum has overwritten them.
constexpr std::int64_t kBlockBytes = 64 << 10;

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

void add_in_place(at::Tensor& total, const at::Tensor& next, Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      total.add_(next);
      return;
    case Reduction::kMax:
      at::maximum_out(total, total, next);
      return;
    case Reduction::kBitOr:
      total.bitwise_or_(next);
      return;
  }
}

/// Reduces one block of a chunk over all ranks, in place. Adds in the ring's order: the sum starts
/// with the block of rank `first` and goes on to lower ranks.
void reduce_block(const std::vector<at::Tensor>& ranks, std::size_t first, std::int64_t begin,
                  std::int64_t count, Reduction reduction) {
  const auto size = ranks.size();
  auto total = ranks[first].narrow(0, begin, count);
  std::vector<at::Tensor> others;
  for (std::size_t hop = 1; hop < size; ++hop) {
    others.push_back(ranks[(first + size - hop) % size].narrow(0, begin, count));
    add_in_place(total, others.back(), reduction);
  }
  for (auto& other : others) other.copy_(total);
}

}  // namespace

std::int64_t ring_chunk_elements(std::int64_t elements, std::int64_t element_bytes, int ranks) {
  const auto bytes = elements * element_bytes;
  const auto largest = element_bytes * (kLargestSegmentBytes / element_bytes);
  const auto segments_per_rank =
      divide_up(std::max<std::int64_t>(divide_up(bytes, largest), 2 * ranks), ranks);
  const auto segment_elements =
      divide_up(divide_up(bytes, segments_per_rank * ranks), element_bytes);
  return segments_per_rank * segment_elements;
}

void ring_all_reduce(const std::vector<at::Tensor>& ranks, Reduction reduction) {
  const auto size = ranks.size();
  const auto elements = ranks.front().numel();
  const auto element_bytes = static_cast<std::int64_t>(ranks.front().element_size());
  const auto chunk = ring_chunk_elements(elements, element_bytes, static_cast<int>(size));
  const auto block = kBlockBytes / element_bytes;
  std::size_t number = 0;
  for (std::int64_t begin = 0; begin < elements; begin += chunk, ++number) {
    const auto end = std::min(begin + chunk, elements);
    for (auto at = begin; at < end; at += block) {
      reduce_block(ranks, (number + size - 1) % size, at, std::min(block, end - at), reduction);
    }
  }
}

}  // namespace pacbench::trainer
