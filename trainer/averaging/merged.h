#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "trainer/averaging/averager.h"
#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// Averages consecutive buckets as one: the buckets before a split together, and the buckets from
/// the split on together. Buckets are handed over in their order. A bucket waits for the last
/// bucket of its part, which exchanges the whole part. Each split has an averager of its own. When
/// the split changes, the residual of error feedback goes to the next split's averager.
class Merged final : public Averager {
 public:
  using Make = std::function<std::unique_ptr<Averager>()>;

  explicit Merged(Make make) : make_{std::move(make)}, example_{make_()} {}

  /// Divides the buckets into two parts; bucket `split` is the first of the second part. When
  /// `split` is the number of buckets, there is one part alone. Must be called before the first
  /// exchange; may be called again between iterations, to change the split.
  Task<> regroup(const Layout& layout, std::int64_t split, Group& group);

  /// Makes active a split that regroup() prepared earlier. Unlike regroup(), it awaits nothing. It
  /// serves to restore a saved state.
  void use(std::int64_t split) { active_ = &groupings_.at(split); }

  Declares declares() const override { return example_->declares(); }
  Recording recording() const override {
    const auto inner = example_->recording();
    return {.ranks_are_alike = inner.ranks_are_alike,
            .ends_alone = false,
            .iterations_to_settle = inner.iterations_to_settle};
  }
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override;
  Task<> average(Bucket& bucket, Group& group) override;
  Task<> finish_iteration(Group& group) override { return active_->inner->finish_iteration(group); }
  std::vector<PlannedCollective> finish_traffic() const override {
    return active_->inner->finish_traffic();
  }
  void visit_state(StateVisitor& visitor) override;
  std::optional<double> residual_norm() const override;

 private:
  /// Buckets that are averaged as one. `values` has their values in this iteration. The others wait
  /// for `averaged`, which the last bucket announces.
  struct Part {
    std::vector<BucketLayout> buckets;
    BucketLayout layout;  ///< of all buckets as one; its index is the last bucket's
    at::Tensor values = {};
    Event averaged = {};
  };

  struct Grouping {
    std::unique_ptr<Averager> inner;
    std::vector<Part> parts;
    Layout layout;
  };

  Grouping grouping_of(const Layout& layout, std::int64_t split) const;
  std::pair<Part*, std::int64_t> place_of(int bucket) const;
  void hold_rests();
  Task<> average_part(Part& part, Bucket& bucket, Group& group);

  Make make_;
  std::unique_ptr<Averager> example_;           ///< answers what is asked before there are buckets
  std::map<std::int64_t, Grouping> groupings_;  ///< by split
  Grouping* active_ = nullptr;
  /// By bucket: what the previous split's averager held back, until the next exchange.
  std::map<int, at::Tensor> held_;
};

}  // namespace pacbench::trainer
