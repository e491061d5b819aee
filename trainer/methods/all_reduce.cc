// Dense float32 all-reduce: the gradient as it is, summed over a ring. What every other method is
// measured against. Lossless by definition.
#include "trainer/methods/method_entries.h"

namespace pacbench::trainer {
namespace {

class AllReduce final : public Method {
 public:
  std::vector<PlannedCollective> expected_traffic(const BucketLayout& bucket) const override {
    return {{CollectiveKind::kAllReduce, bucket.elements * 4, 0}};
  }

  Task<> exchange(Bucket& bucket, Group& group) override {
    co_await group.all_reduce(bucket.gradient());
    bucket.gradient().div_(group.size());
  }
};

}  // namespace

MethodEntryPoint all_reduce_method() {
  MethodInfo info;
  info.name = "all-reduce";
  info.summary = "dense float32 ring all-reduce, bucketed and overlapped with backward";
  info.paper = "Patarasuk and Yuan 2009, doi 10.1016/j.jpdc.2008.09.002";
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"all_reduce"};
  return {info, [](const Json&, const LinkFacts&) -> std::unique_ptr<Method> {
            return std::make_unique<AllReduce>();
          }};
}

}  // namespace pacbench::trainer
