// OmniReduce (Fei, Ho, Sahu, Canini and Sapio 2021, SIGCOMM, doi 10.1145/3452296.3472904): only the
// blocks of 256 values that are not all zero travel, and only the union of all ranks' blocks comes
// back. The paper streams blocks through aggregators over DPDK or RDMA; here one batch goes over
// ordinary collectives (row_exchange.h). With `ratio` 1 it is lossless. Below 1 only the blocks of
// largest norm count as not zero, as in the paper's section 4. Error feedback, where it is on,
// keeps the rest.
#include <ATen/Functions.h>

#include <map>

#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/row_exchange.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kBlockElements = 256;

class OmniReduce final : public Averager {
 public:
  explicit OmniReduce(const Json& options) : ratio_{options.at("ratio")} {}

  Declares declares() const override { return Declares::kAfter; }
  Recording recording() const override { return {.ranks_are_alike = false}; }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    return exchanges_.at(bucket.index).traffic();
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto elements = bucket.layout.elements;
    const auto count = (elements + kBlockElements - 1) / kBlockElements;
    const auto padded = at::constant_pad_nd(bucket.own, {0, count * kBlockElements - elements});
    const auto blocks = padded.view({count, kBlockElements});
    const auto held = has_values(blocks);
    if (bucket.keeps_rest) {
      const auto rest = blocks.masked_fill(held.unsqueeze(1), 0);
      bucket.own.copy_(rest.flatten().narrow(0, 0, elements));
    }
    auto& exchange = exchanges_[bucket.layout.index] = {count, kBlockElements};
    co_await exchange.average(blocks, held, group);
    bucket.mean.copy_(padded.narrow(0, 0, elements));
  }

 private:
  /// Returns bool[blocks]: the blocks that are sent. Whether a block is zero is not decided by its
  /// norm, since the square of a small value underflows to zero.
  at::Tensor has_values(const at::Tensor& blocks) const {
    const auto counts = blocks.ne(0).any(1);
    if (ratio_ == 1) return counts;
    const auto places = largest(blocks.norm(2, {1}), kept_of(ratio_, counts.numel()));
    return at::zeros_like(counts).index_fill_(0, places, true).logical_and_(counts);
  }

  double ratio_;
  std::map<int, RowExchange> exchanges_;  ///< the last of each bucket
};

}  // namespace

MethodDefinition omnireduce_method() {
  auto info =
      described("omnireduce", "sparsification", "Fei et al. 2021, doi 10.1145/3452296.3472904",
                "non-zero blocks, added by shares; with a ratio below 1, only the largest blocks");
  info.options = {option::share_of_nonzero("share of each bucket's blocks that is sent, those of "
                                           "largest norm; 1: all non-zero blocks"),
                  option::error_feedback(false)};
  info.lossless = true;
  info.collectives = {"all_gather", "all_to_all"};
  return averaging<OmniReduce>(info);
}

}  // namespace pacbench::trainer
