#include "trainer/averaging/feedback.h"

namespace pacbench::trainer {

Task<> Feedback::settle(const Layout& layout, Group& group) {
  residuals_.settle(layout, group.device());
  return inner_->settle(layout, group);
}

Task<> Feedback::average(Bucket& bucket, Group& group) {
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

void Feedback::hand_over_rest(const BucketLayout& bucket, at::Tensor values) {
  auto& residual = residuals_.of(bucket);
  values.add_(residual);
  residual.zero_();
  inner_->hand_over_rest(bucket, values);
}

void Feedback::visit_state(StateVisitor& visitor) {
  residuals_.visit(visitor);
  inner_->visit_state(visitor);
}

}  // namespace pacbench::trainer
