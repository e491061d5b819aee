#include "trainer/methods/feedback.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cmath>

namespace pacbench::trainer {

Task<> Feedback::settle(const Layout& layout, Group& group) {
  for (const auto& bucket : layout) {
    auto& residual = residuals_[bucket.index];
    if (!residual.defined()) residual = at::zeros({bucket.elements}, group.device());
  }
  return inner_->settle(layout, group);
}

std::vector<PlannedCollective> Feedback::traffic(const BucketLayout& bucket,
                                                 const Step& step) const {
  return inner_->traffic(bucket, step);
}

Task<> Feedback::average(Bucket& bucket, Group& group) {
  auto& residual = residuals_.at(bucket.layout.index);
  const auto& step = bucket.step;
  if (of_ == Of::kSteps && step.lr > 0 && step.lr != step.previous_lr) {
    residual.mul_(step.previous_lr / step.lr);
  }
  auto corrected = bucket;
  corrected.own = residual.add_(bucket.own);
  corrected.keeps_rest = true;
  co_await inner_->average(corrected, group);
}

void Feedback::visit_state(StateVisitor& visitor) {
  for (auto& [index, residual] : residuals_) {
    visitor.tensor(fmt::format("bucket{}/residual", index), residual);
  }
  inner_->visit_state(visitor);
}

std::optional<double> Feedback::residual_norm() const {
  double squares = 0;
  for (const auto& [index, residual] : residuals_) {
    const auto norm = residual.norm().item<double>();
    squares += norm * norm;
  }
  return std::sqrt(squares);
}

}  // namespace pacbench::trainer
