// Compares sums over threads of this process with those of the real Gloo, bit for bit.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/gloo_ranks.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/kernels/philox.h"

namespace pacbench::trainer::test::ring_sum_test {
namespace {

/// Values between -1 and 1 of very different magnitudes, so that every order of adding them gives
/// another sum.
std::vector<at::Tensor> random_values(std::int64_t elements, int ranks, at::ScalarType type) {
  std::vector<at::Tensor> values;
  for (int rank = 0; rank < ranks; ++rank) {
    auto uniform = at::empty({2, elements});
    RandomKey key;
    key.seed = elements;
    key.rank = rank;
    fill_uniform(key, 0, 2 * elements, uniform.data_ptr<float>());
    values.push_back(uniform[0].sub(0.5).mul(uniform[1].mul(8).neg().exp2()).to(type));
  }
  return values;
}

void all_reduce(const std::vector<std::shared_ptr<Backend>>& backends,
                const std::vector<at::Tensor>& values) {
  std::vector<std::future<void>> ended;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    Collective call;
    call.kind = CollectiveKind::kAllReduce;
    call.input = values[rank];
    const Ending end;
    ended.push_back(end.future());
    backends[rank]->start(call, end);
  }
  for (auto& rank : ended) rank.get();
}

class RingSum : public ::testing::TestWithParam<int> {};

TEST_P(RingSum, HasTheBitsOfGloosForEverySizeAndType) {
  const int ranks = GetParam();
  const GlooRanks gloo{ranks};
  const auto threads = make_thread_group(ranks);
  for (const auto type : {at::kFloat, at::kHalf, at::kBFloat16}) {
    std::vector<std::int64_t> sizes{1, 2, 7, 64, 1001, 30011, 262147};
    if (ranks == 3 && type == at::kFloat) {
      sizes.insert(sizes.end(), {2097157, 1966081});  // chunks have more than two segments
      ASSERT_GT(ring_chunk_elements(sizes.back(), 4, ranks) * 4, 2 << 20);
    }
    for (const auto elements : sizes) {
      const auto expected = random_values(elements, ranks, type);
      const auto found = random_values(elements, ranks, type);
      all_reduce(gloo.backends(), expected);
      all_reduce(threads, found);
      for (const auto& rank : found) {
        ASSERT_TRUE(at::equal(rank, expected[0])) << elements << " of " << c10::toString(type);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RingSum, ::testing::Range(2, 10));

}  // namespace
}  // namespace pacbench::trainer::test::ring_sum_test
