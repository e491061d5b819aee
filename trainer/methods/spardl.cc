// SparDL (Zhao, Sheng, Zhao, Tao, Zhu, Nie and Cui 2024, ICDE, arXiv 2304.00737): the vector is cut
// into one block for each rank. In log2 N rounds every rank hands half of the blocks that it still
// adds to another, each with no more than its k / N largest entries, so that nothing grows; then an
// all-gather brings the blocks together (Spar-Reduce-Scatter). An entry that a rank drops on the
// way, its own or of a partial sum, is kept by that rank (global residuals). Blocks here have their
// number of entries exactly, so sizes are known beforehand. Teams are not implemented.
#include <ATen/Functions.h>

#include <map>

#include "trainer/kernels/largest.h"
#include "trainer/methods/method_entries.h"
#include "trainer/methods/option_specs.h"
#include "trainer/methods/selection.h"
#include "trainer/methods/sparse_code.h"

namespace pacbench::trainer {
namespace {

class SparDl final : public PlacedAverager {
 public:
  explicit SparDl(double ratio) : ratio_{ratio} {}

  bool ranks_are_alike() const override { return false; }  // one rank gets all of a round

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    const auto block_bytes = 4 * code_of(bucket).words();
    std::vector<PlannedCollective> calls;
    for (int held = ranks_; held > 1; held = half(held)) {
      calls.push_back({CollectiveKind::kSendReceive, block_bytes * (held - half(held))});
    }
    calls.push_back({CollectiveKind::kAllGather, block_bytes});
    return calls;
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto elements = bucket.layout.elements;
    const auto code = code_of(bucket.layout);
    const auto block = block_elements(bucket.layout);
    auto sums = at::zeros({ranks_, block}, bucket.own.options());
    sums.flatten().narrow(0, 0, elements).copy_(bucket.own);
    auto dropped = at::zeros_like(sums);

    // This rank adds the blocks rank, rank + 1, ... rank + held - 1.
    for (int held = ranks_; held > 1; held = half(held)) {
      const int kept = half(held);
      std::vector<at::Tensor> outgoing;
      for (int i = kept; i < held; ++i) {
        const int number = (group.rank() + i) % ranks_;
        outgoing.push_back(take_largest(sums[number], dropped[number], code));
      }
      const auto sent = at::cat(outgoing);
      const int to = (group.rank() + kept) % ranks_;
      const int from = (group.rank() + ranks_ - kept) % ranks_;
      const auto received = co_await group.send_receive(sent, to, from, sent.numel());
      for (int i = 0; i < held - kept; ++i) {
        code.add(received.narrow(0, i * code.words(), code.words()),
                 sums[(group.rank() + i) % ranks_]);
      }
    }
    const auto own_block = take_largest(sums[group.rank()], dropped[group.rank()], code);
    const auto gathered = co_await group.all_gather(own_block);

    auto total = at::zeros_like(sums);
    auto sent_places = at::zeros_like(sums, at::kBool);
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto theirs = gathered.narrow(0, rank * code.words(), code.words());
      code.add(theirs, total[rank]);
      sent_places[rank].index_fill_(0, code.places_in(theirs).to(at::kLong), true);
    }
    if (bucket.keeps_rest) {
      // Where nothing arrived all keep their own; where something did, what each dropped of it.
      const auto arrived = sent_places.flatten().narrow(0, 0, elements);
      const auto lost = dropped.flatten().narrow(0, 0, elements);
      bucket.own.copy_(at::where(arrived, lost, bucket.own));
    }
    bucket.mean.copy_(total.div_(ranks_).flatten().narrow(0, 0, elements));
  }

 private:
  static int half(int held) { return (held + 1) / 2; }

  std::int64_t block_elements(const BucketLayout& bucket) const {
    return (bucket.elements + ranks_ - 1) / ranks_;
  }

  SparseCode code_of(const BucketLayout& bucket) const {
    const auto block = block_elements(bucket);
    return {block, kept_of(ratio_, block)};
  }

  /// The block's largest entries, encoded; the others are added to `dropped`.
  static at::Tensor take_largest(const at::Tensor& block, const at::Tensor& dropped,
                                 const SparseCode& code) {
    const auto places = largest(block, code.kept());
    const auto encoded = code.encode(block.index_select(0, places), places);
    block.index_fill_(0, places, 0);
    dropped.add_(block);
    return encoded;
  }

  double ratio_;
};

}  // namespace

MethodEntryPoint spardl_method() {
  MethodInfo info;
  info.name = "spardl";
  info.summary = "largest entries of blocks, added and cut again in log2 N rounds";
  info.paper = "Zhao et al. 2024, arXiv 2304.00737";
  info.family = "sparsification";
  info.options = {option::kept_share(), option::error_feedback(true)};
  info.collectives = {"send_receive", "all_gather"};
  return averaging(info, [](const Json& options, const RunFacts&) -> std::unique_ptr<Averager> {
    return std::make_unique<SparDl>(options.at("ratio"));
  });
}

}  // namespace pacbench::trainer
