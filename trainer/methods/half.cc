// 16-bit all-reduce: gradients are cast to fp16 or bf16, divided by N before the sum so that it
// cannot overflow, and summed in 16 bits. As PyTorch's fp16_compress_hook and bf16_compress_hook
// do. Values under 6e-8 become zero in fp16; rounding at each hop of the ring is not fed back.
#include "trainer/methods/method_entries.h"

namespace pacbench {
namespace {

class Half final : public Method {
 public:
  explicit Half(at::ScalarType type) : type_{type} {}

  std::vector<PlannedCollective> expected_traffic(const BucketLayout& bucket) const override {
    return {{CollectiveKind::kAllReduce, bucket.elements * 2, 0}};
  }

  Task<> exchange(Bucket& bucket, Group& group) override {
    auto narrow = bucket.gradient().to(type_).div_(group.size());
    co_await group.all_reduce(narrow);
    bucket.gradient().copy_(narrow);
  }

 private:
  at::ScalarType type_;
};

MethodInfo describe(const char* name, const char* summary) {
  MethodInfo info;
  info.name = name;
  info.summary = summary;
  info.paper = "Micikevicius et al. 2018, arXiv 1710.03740";
  info.collectives = {"all_reduce"};
  return info;
}

}  // namespace

MethodEntryPoint fp16_method() {
  return {describe("fp16", "all-reduce of gradients cast to IEEE half precision"),
          [](const Json&) -> std::unique_ptr<Method> { return std::make_unique<Half>(at::kHalf); }};
}

MethodEntryPoint bf16_method() {
  return {describe("bf16", "all-reduce of gradients cast to bfloat16"),
          [](const Json&) -> std::unique_ptr<Method> {
            return std::make_unique<Half>(at::kBFloat16);
          }};
}

}  // namespace pacbench
