// Tree all-reduce: sums go up a binomial tree to rank 0, and the mean comes down by the backend's
// broadcast, which over Gloo is a binomial tree too (over NCCL, a ring). With Gloo the tree takes 2
// log2 N rounds, log2 N rounded up, each with a whole gradient. A ring takes 2 (N - 1) rounds, each
// with an Nth of it (Thakur, Rabenseifner and Gropp 2005, doi 10.1177/1094342005051521, section 4).
// So the tree gains where delay matters more than bytes. It is lossless.
#include <ATen/Functions.h>

#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class Tree final : public PlacedAverager {
 public:
  Recording recording() const override { return {.ranks_are_alike = false}; }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    PlannedCalls calls;
    for (int distance = 1; distance < ranks_; distance *= 2) {
      calls.push_back({CollectiveKind::kSendReceive, sends_at(distance) ? 4 * bucket.elements : 0});
    }
    calls.push_back({CollectiveKind::kBroadcast, 4 * bucket.elements});
    return calls;
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto elements = bucket.layout.elements;
    const auto nothing = at::empty({0}, bucket.own.options());
    auto sum = bucket.own.clone();
    for (int distance = 1; distance < ranks_; distance *= 2) {
      const bool sends = sends_at(distance);
      const bool receives = rank_ % (2 * distance) == 0 && rank_ + distance < ranks_;
      const auto theirs =
          co_await group.send_receive(sends ? sum : nothing, sends ? rank_ - distance : rank_,
                                      receives ? rank_ + distance : rank_, receives ? elements : 0);
      if (receives) sum.add_(theirs);
    }
    sum.div_(ranks_);
    co_await group.broadcast(sum, 0);
    if (bucket.keeps_rest) bucket.own.zero_();
    bucket.mean.copy_(sum);
  }

 private:
  /// Whether this rank hands its sum up in the round that joins ranks `distance` apart.
  bool sends_at(int distance) const { return rank_ % (2 * distance) == distance; }
};

}  // namespace

MethodDefinition tree_method() {
  auto info = described(
      "tree", "dense", "Thakur et al. 2005, doi 10.1177/1094342005051521",
      "dense float32: sums go up a binomial tree, the mean comes down it, in 2 log2 N rounds");
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"send_receive", "broadcast"};
  return averaging<Tree>(info);
}

}  // namespace pacbench::trainer
