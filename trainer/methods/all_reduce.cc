// Dense float32 all-reduce: the gradient as it is, summed over a ring. Every other method is
// measured against it. It is lossless by definition.
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class AllReduce final : public Averager {
 public:
  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    return {dense_traffic(bucket)};
  }

  Task<> average(Bucket& bucket, Group& group) override { return average_dense(bucket, group); }
};

}  // namespace

MethodDefinition all_reduce_method() {
  auto info =
      described("all-reduce", "dense", "Patarasuk and Yuan 2009, doi 10.1016/j.jpdc.2008.09.002",
                "dense float32 ring all-reduce, bucketed and overlapped with backward");
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"all_reduce"};
  return averaging<AllReduce>(info);
}

}  // namespace pacbench::trainer
