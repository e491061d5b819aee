#pragma once

#include <memory>
#include <utility>

#include "trainer/averaging/averager.h"

namespace pacbench::trainer {

/// An averager around another one. Calls that a derived class does not override go to the inner
/// averager.
class AveragerAround : public Averager {
 public:
  explicit AveragerAround(std::unique_ptr<Averager> inner) : inner_{std::move(inner)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    return inner_->settle(layout, group);
  }
  Declares declares() const override { return inner_->declares(); }
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override {
    return inner_->traffic(bucket, step);
  }
  Task<> average(Bucket& bucket, Group& group) override { return inner_->average(bucket, group); }
  Task<> finish_iteration(Group& group) override { return inner_->finish_iteration(group); }
  std::vector<PlannedCollective> finish_traffic() const override {
    return inner_->finish_traffic();
  }
  void hand_over_rest(const BucketLayout& bucket, at::Tensor values) override {
    inner_->hand_over_rest(bucket, std::move(values));
  }
  Recording recording() const override { return inner_->recording(); }
  void visit_state(StateVisitor& visitor) override { inner_->visit_state(visitor); }
  std::optional<double> residual_norm() const override { return inner_->residual_norm(); }

 protected:
  std::unique_ptr<Averager> inner_;
};

}  // namespace pacbench::trainer
