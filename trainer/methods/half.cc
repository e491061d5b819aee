// 16-bit all-reduce: gradients are divided by N in float32 and cast to fp16 or bf16, so that
// neither a rank's share nor the sum overflows where the mean fits. PyTorch's fp16_compress_hook
// and bf16_compress_hook cast first. Values under N · 3e-8 become zero in fp16. There is no error
// feedback.
#include <ATen/Functions.h>

#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class Half final : public PlacedAverager {
 public:
  Half(at::ScalarType type, bool ring) : type_{type}, ring_{ring} {}

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    if (ring_) return {{CollectiveKind::kAllReduce, bucket.elements * 2}};
    const auto share = 2 * padded(bucket.elements) / ranks_;
    return {{CollectiveKind::kAllToAll, share * (ranks_ - 1)}, {CollectiveKind::kAllGather, share}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto elements = bucket.own.numel();
    auto narrow = bucket.own.div(ranks_).to(type_);
    if (ring_) {
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
  /// How the sum is made. True: the backend's ring adds 16-bit numbers, rounding at every hop; Gloo
  /// converts each number in software. False: the same bytes travel by all-to-all and all-gather,
  /// and each rank adds its share in float32 with one rounding at the end.
  bool ring_;
};

MethodDefinition half_method(const char* name, const char* summary, at::ScalarType type) {
  auto info =
      described(name, "quantisation", "Micikevicius et al. 2018, arXiv 1710.03740", summary);
  info.options = {option::choice("sum", {"ring", "direct"},
                                 "how the sum is made: by the backend's ring in 16 bits, or "
                                 "directly, with the same bytes by all-to-all and all-gather, "
                                 "added in float32")};
  info.collectives = {"all_to_all", "all_gather", "all_reduce"};
  return averaging(info, [type](const Json& options, const RunFacts&) {
    return std::make_unique<Half>(type, options.at("sum") == "ring");
  });
}

}  // namespace

MethodDefinition fp16_method() {
  return half_method("fp16", "all-reduce of gradients cast to IEEE half precision", at::kHalf);
}

MethodDefinition bf16_method() {
  return half_method("bf16", "all-reduce of gradients cast to bfloat16", at::kBFloat16);
}

}  // namespace pacbench::trainer
