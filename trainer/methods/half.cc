// 16-bit all-reduce: gradients are divided by N in float32 and cast to fp16 or bf16, so that
// neither a rank's share nor the sum overflows where the mean fits. PyTorch's fp16_compress_hook
// and bf16_compress_hook cast first. Values under N · 3e-8 become zero in fp16. There is no error
// feedback.
#include <ATen/Functions.h>

#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// How the sum is made. `ring`: the backend's ring adds 16-bit numbers, rounding at every hop; Gloo
/// converts each number in software. `direct`: the same bytes travel by all-to-all and all-gather,
/// and each rank adds its share in float32 with one rounding at the end.
enum class Sum { kRing, kDirect };

class Half final : public PlacedAverager {
 public:
  Half(at::ScalarType type, Sum sum) : type_{type}, sum_{sum} {}

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    if (sum_ == Sum::kRing) return {{CollectiveKind::kAllReduce, bucket.elements * 2}};
    const auto share = 2 * padded(bucket.elements) / ranks_;
    return {{CollectiveKind::kAllToAll, share * (ranks_ - 1)}, {CollectiveKind::kAllGather, share}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto elements = bucket.own.numel();
    auto narrow = bucket.own.div(ranks_).to(type_);
    if (sum_ == Sum::kRing) {
      co_await group.all_reduce(narrow);
    } else {
      const auto all_shares = at::constant_pad_nd(narrow, {0, padded(elements) - elements});
      const auto share = co_await group.reduce_scatter(all_shares);
      narrow = (co_await group.all_gather(share)).narrow(0, 0, elements);
    }
    bucket.mean.copy_(narrow);
  }

 private:
  /// Rounds up to a multiple of N, so that all shares are of one size.
  std::int64_t padded(std::int64_t elements) const {
    return (elements + ranks_ - 1) / ranks_ * ranks_;
  }

  at::ScalarType type_;
  Sum sum_;
};

MethodInfo describe(const char* name, const char* summary) {
  MethodInfo info;
  info.name = name;
  info.summary = summary;
  info.paper = "Micikevicius et al. 2018, arXiv 1710.03740";
  info.family = "quantisation";
  info.options = {option::choice("sum", {"ring", "direct"},
                                 "how the sum is made: by the backend's ring in 16 bits, or "
                                 "directly, with the same bytes by all-to-all and all-gather, "
                                 "added in float32")};
  info.collectives = {"all_to_all", "all_gather", "all_reduce"};
  return info;
}

template <at::ScalarType type>
std::unique_ptr<Averager> make_half(const Json& options, const RunFacts&) {
  return std::make_unique<Half>(type, options.at("sum") == "ring" ? Sum::kRing : Sum::kDirect);
}

}  // namespace

MethodDefinition fp16_method() {
  return averaging(describe("fp16", "all-reduce of gradients cast to IEEE half precision"),
                   make_half<at::kHalf>);
}

MethodDefinition bf16_method() {
  return averaging(describe("bf16", "all-reduce of gradients cast to bfloat16"),
                   make_half<at::kBFloat16>);
}

}  // namespace pacbench::trainer
