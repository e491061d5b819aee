// Top-k sparsification: each worker sends the k entries of largest magnitude of a bucket, as their
// float32 values and a code of their indices, to all others (Aji and Heafield 2017, arXiv
// 1704.05021). It is biased. With error feedback what is left out is added to the next gradient
// (sent + residual = gradient + old residual).
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sparse_entries.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class TopK final : public Averager {
 public:
  explicit TopK(const Json& options)
      : ratio_{options.at("ratio")}, packed_{options.at("indices") == "packed"} {}

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    return {entries_of(bucket).traffic()};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto places = largest(bucket.own, kept_of(ratio_, bucket.layout.elements));
    const auto entries = entries_of(bucket.layout);
    co_await entries.average(bucket.own, places, bucket.keeps_rest, bucket.mean, group);
  }

 private:
  SparseEntries entries_of(const BucketLayout& bucket) const {
    return {bucket.elements, kept_of(ratio_, bucket.elements), packed_};
  }

  double ratio_;
  bool packed_;
};

}  // namespace

MethodDefinition topk_method() {
  auto info = described("topk", "sparsification", "Aji and Heafield 2017, arXiv 1704.05021",
                        "top-k entries of each bucket by all-gather, with error feedback");
  info.options = {
      option::kept_share(),
      option::choice("indices", {"packed", "int32"},
                     "how the entries' indices travel: as Elias-Fano code or bitmap, whichever is "
                     "shorter (packed), or as four bytes each (int32)"),
      option::error_feedback(true),
  };
  info.collectives = {"all_gather"};
  return averaging<TopK>(info);
}

}  // namespace pacbench::trainer
