// The averager of docs/ADDING_A_METHOD.md, with which ranks keep different numbers of entries.
// Compares its means with sums of what each rank sends.
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/averaging/feedback.h"
#include "trainer/averaging/sparse_entries.h"

namespace pacbench::trainer::test::unequal_entries_test {
namespace {

class HardThreshold final : public PlacedAverager {  // knows rank_ and ranks_
 public:
  explicit HardThreshold(double threshold) : threshold_{threshold} {}

  Declares declares() const override { return Declares::kAfter; }
  Recording recording() const override { return {.ranks_are_alike = false}; }
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    return {counts_traffic(), entries_.at(bucket.index).traffic(rank_)};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    require_finite(bucket, group);
    const auto places = bucket.own.abs().ge(threshold_).nonzero().flatten();
    const auto kept = co_await gather_counts(places.numel(), group);
    const UnequalEntries made{bucket.layout.elements, kept};
    const auto& entries = entries_.insert_or_assign(bucket.layout.index, made).first->second;
    co_await entries.average(bucket.own, places, bucket.keeps_rest, bucket.mean, group);
  }

 private:
  double threshold_;
  std::map<int, UnequalEntries> entries_;  ///< of each bucket, in this iteration
};

ThreadRanks ranks_with(double threshold) {
  return ThreadRanks{3, layout_of({{6}}), [=] { return averaged_by<HardThreshold>(threshold); }};
}

/// Gradients of three ranks, of which three, one and no entries have a magnitude of at least 5.
Gradients gradients() {
  return {{at::tensor({9.F, -6.F, 1.F, 0.F, 12.F, 2.F})},
          {at::tensor({3.F, -9.F, 1.F, 4.F, 0.F, 0.F})},
          {at::tensor({1.F, 2.F, 3.F, 4.F, 4.F, 4.F})}};
}

TEST(UnequalEntries, AreAddedAndDividedByTheNumberOfRanksOfWhichOneSendsNothing) {
  auto ranks = ranks_with(5);
  for (const auto& rank : ranks.exchange(gradients())) {
    EXPECT_TRUE(at::equal(rank[0], at::tensor({3.F, -5.F, 0.F, 0.F, 4.F, 0.F}))) << rank[0];
  }
  for (const auto& rank : ranks_with(100).exchange(gradients())) {
    EXPECT_TRUE(at::equal(rank[0], at::zeros({6}))) << "nobody keeps any";
  }
  EXPECT_GT(ranks.payloads(0).at(1), ranks.payloads(1).at(1));
  EXPECT_GT(ranks.payloads(1).at(1), 0);
  EXPECT_EQ(ranks.payloads(2).at(1), 0);
}

TEST(UnequalEntries, AreDeliveredInTimeWithErrorFeedback) {
  ThreadRanks ranks{3, layout_of({{6}}),
                    [] { return averaged_by<Feedback>(std::make_unique<HardThreshold>(5)); }};
  const auto received = sum_of_means(ranks, gradients(), 5);
  const auto all = dense_mean(gradients(), 0) * 5;
  EXPECT_TRUE(((received - all).abs() < 5).all().item<bool>()) << "less than the threshold waits";
  EXPECT_GT(received[3].item<float>(), 0) << "4 is sent in the second round";
}

}  // namespace
}  // namespace pacbench::trainer::test::unequal_entries_test
