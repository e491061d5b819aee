#pragma once

#include <memory>

#include "trainer/averaging/averager_around.h"
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

  Task<> settle(const Layout& layout, Group& group) override;
  Task<> average(Bucket& bucket, Group& group) override;
  void hand_over_rest(const BucketLayout& bucket, at::Tensor values) override;
  void visit_state(StateVisitor& visitor) override;
  std::optional<double> residual_norm() const override { return residuals_.norm(); }

 private:
  Of of_;
  BucketState residuals_{"residual"};
};

}  // namespace pacbench::trainer
