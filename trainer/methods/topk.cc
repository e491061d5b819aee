// Top-k sparsification: each worker sends the k entries of largest magnitude of a bucket, as their
// float32 values and a code of their indices, to all others (Aji and Heafield 2017, arXiv
// 1704.05021). It is biased. With error feedback what is left out is added to the next gradient
// (sent + residual = gradient + old residual).
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sparse_entries.h"
#include "trainer/encoding/selection.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class TopK final : public Averager {
 public:
  TopK(double ratio, bool packed) : ratio_{ratio}, packed_{packed} {}

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
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

std::unique_ptr<Averager> make_topk(const Json& options, const RunFacts&) {
  return std::make_unique<TopK>(options.at("ratio"), options.at("indices") == "packed");
}

}  // namespace

MethodDefinition topk_method() {
  MethodInfo info;
  info.name = "topk";
  info.summary = "top-k entries of each bucket by all-gather, with error feedback";
  info.paper = "Aji and Heafield 2017, arXiv 1704.05021";
  info.family = "sparsification";
  info.options = {
      option::kept_share(),
      option::choice("indices", {"packed", "int32"},
                     "how the entries' indices travel: as Elias-Fano code or bitmap, whichever is "
                     "shorter (packed), or as four bytes each (int32)"),
      option::error_feedback(true),
  };
  info.collectives = {"all_gather"};
  return averaging(info, make_topk);
}

}  // namespace pacbench::trainer
