#pragma once

#include <memory>

#include "trainer/methods/averager.h"
#include "trainer/methods/bucket_state.h"

namespace pacbench::trainer {

/// Error feedback (Seide et al. 2014, doi 10.21437/Interspeech.2014-274; Karimireddy et al. 2019,
/// arXiv 1901.09847) around any averager: what its share left out of a rank's values is added to
/// the next ones of that bucket. sent + residual = values + old residual.
class Feedback final : public Averager {
 public:
  /// The residual is what is left of a gradient, or of a step. A paper that multiplies by the
  /// learning rate before it compresses keeps what is left of a step: worth more or less of a
  /// gradient when the rate changes.
  enum class Of { kGradients, kSteps };

  explicit Feedback(std::unique_ptr<Averager> inner, Of of = Of::kGradients)
      : inner_{std::move(inner)}, of_{of} {}

  Task<> settle(const Layout& layout, Group& group) override;
  Declares declares() const override { return inner_->declares(); }
  bool ranks_are_alike() const override { return inner_->ranks_are_alike(); }
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override;
  Task<> average(Bucket& bucket, Group& group) override;
  Task<> finish_iteration(Group& group) override { return inner_->finish_iteration(group); }
  std::vector<PlannedCollective> finish_traffic() const override {
    return inner_->finish_traffic();
  }
  void hand_over_rest(const BucketLayout& bucket, at::Tensor values) override;
  void visit_state(StateVisitor& visitor) override;
  std::optional<double> residual_norm() const override { return residuals_.norm(); }

 private:
  std::unique_ptr<Averager> inner_;
  Of of_;
  BucketState residuals_{"residual"};
};

}  // namespace pacbench::trainer
