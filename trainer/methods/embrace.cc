// EmbRace (Li et al. 2022, ICPP, arXiv 2110.09132): an embedding has gradients only in the rows
// that the batch looked up. Only these rows are exchanged; all else of a bucket goes by one
// all-reduce. A bit for each row tells whether it travels. Every rank sums an equal share of the
// rows that any rank sends, and the means come back (row_exchange.h). A row counts as looked up if
// its gradient is not zero. Lossless. The paper divides the embeddings over the workers (hybrid
// parallelism), so that lookups cross the link too. It sends first the rows that the next batch
// needs (2D scheduling). Neither is done here, where every rank holds the whole model.
#include <ATen/Functions.h>

#include <map>

#include "trainer/averaging/row_exchange.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class EmbRace final : public Averager {
 public:
  Declares declares() const override { return Declares::kAfter; }
  Recording recording() const override { return {.ranks_are_alike = false}; }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    PlannedCalls calls;
    std::int64_t dense = 0;
    for (const auto& slice : bucket.slices) {
      if (!slice.embedding) {
        dense += slice.elements;
        continue;
      }
      for (const auto& call : exchanges_.at(slice.parameter).traffic()) calls.push_back(call);
    }
    if (dense > 0) calls.push_back({CollectiveKind::kAllReduce, 4 * dense});
    return calls;
  }

  Task<> average(Bucket& bucket, Group& group) override {
    std::vector<at::Tensor> others;
    for (const auto& slice : bucket.layout.slices) {
      const auto part = Bucket::part(bucket.mean, slice);
      if (!slice.embedding) {
        others.push_back(part);
        continue;
      }
      const auto rows = part.view({slice.shape.front(), -1});
      const auto looked_up = (rows != 0).any(1);
      auto& exchange = exchanges_[slice.parameter] = {rows.size(0), rows.size(1)};
      co_await exchange.average(rows, looked_up, group);
    }
    if (others.empty()) co_return;
    const auto all = at::cat(others);
    co_await group.all_reduce(all);
    all.div_(group.size());
    std::int64_t offset = 0;
    for (const auto& other : others) {
      other.copy_(all.narrow(0, offset, other.numel()));
      offset += other.numel();
    }
  }

 private:
  std::map<int, RowExchange> exchanges_;  ///< the last of each embedding, by parameter
};

}  // namespace

MethodDefinition embrace_method() {
  auto info = described(
      "embrace", "sparsification", "Li et al. 2022, arXiv 2110.09132",
      "only the rows of embeddings that the batch looked up; all other gradients by all-reduce");
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"all_gather", "all_to_all", "all_reduce"};
  info.input = "tokens";
  return averaging<EmbRace>(info);
}

}  // namespace pacbench::trainer
