#pragma once

#include <memory>

#include "trainer/averaging/averager.h"
#include "trainer/averaging/bucket_state.h"

namespace pacbench::trainer {

/// Error feedback (Seide et al. 2014, doi 10.21437/Interspeech.2014-274; Karimireddy et al. 2019,
/// arXiv 1901.09847) around any averager: what an exchange left out of a rank's values (the
/// residual) is added to the bucket's next values. sent + residual = values + old residual.
class Feedback final : public AveragerAround {
 public:
  /// Whether the residual is what is left of gradients, or of steps. A paper that multiplies by the
  /// learning rate before it compresses keeps what is left of steps. The residual here is always
  /// stored as a part of a gradient, so a residual of steps is rescaled when the rate changes.
  enum class Of { kGradients, kSteps };

  explicit Feedback(std::unique_ptr<Averager> inner, Of of = Of::kGradients)
      : AveragerAround{std::move(inner)}, of_{of} {}

  Task<> settle(const Layout& layout, Group& group) override {
    residuals_.settle(layout, group.device());
    return inner_->settle(layout, group);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    auto& residual = residuals_.of(bucket.layout);
    const auto& step = bucket.step;
    if (of_ == Of::kSteps && step.lr > 0 && step.lr != step.previous_lr) {
      residual.mul_(step.previous_lr / step.lr);
    }
    auto corrected = bucket;
    corrected.own = residual.add_(bucket.own);
    corrected.keeps_rest = true;
    co_await inner_->average(corrected, group);
  }

  void hand_over_rest(const BucketLayout& bucket, at::Tensor values) override {
    auto& residual = residuals_.of(bucket);
    values.add_(residual);
    residual.zero_();
    inner_->hand_over_rest(bucket, values);
  }

  void visit_state(StateVisitor& visitor) override {
    residuals_.visit(visitor);
    inner_->visit_state(visitor);
  }

  std::optional<double> residual_norm() const override { return residuals_.norm(); }

 private:
  Of of_;
  BucketState residuals_{"residual"};
};

}  // namespace pacbench::trainer
