#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "trainer/averaging/averager.h"

namespace pacbench::trainer {

/// Several averagers; a plan chooses one for each bucket in each iteration. When the choice
/// changes, the old averager hands what Feedback (feedback.h) holds back of the bucket to the new
/// one, so that none of that is lost.
class PerBucket final : public Averager {
 public:
  /// The number of the averager that a bucket has in an iteration: the same on all ranks, and the
  /// same whenever it is asked in that iteration.
  using Plan = std::function<std::size_t(const BucketLayout& bucket, const Step& step)>;

  PerBucket(std::vector<std::unique_ptr<Averager>> averagers, Plan plan)
      : averagers_{std::move(averagers)}, plan_{std::move(plan)} {}

  std::size_t size() const { return averagers_.size(); }
  const Averager& averager(std::size_t number) const { return *averagers_.at(number); }

  Task<> settle(const Layout& layout, Group& group) override;
  Declares declares() const override;
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override;
  Task<> average(Bucket& bucket, Group& group) override;
  Task<> finish_iteration(Group& group) override;
  std::vector<PlannedCollective> finish_traffic() const override;
  void hand_over_rest(const BucketLayout& bucket, at::Tensor values) override;
  Recording recording() const override;
  void visit_state(StateVisitor& visitor) override;
  std::optional<double> residual_norm() const override;

 private:
  Averager& of(const BucketLayout& bucket, const Step& step) const {
    return *averagers_.at(plan_(bucket, step));
  }

  std::vector<std::unique_ptr<Averager>> averagers_;
  Plan plan_;
  std::map<int, std::int64_t> last_;  ///< by bucket: its last averager, which holds the residual
  /// By bucket: the traffic of an averager that declares it before average(), kept where another
  /// averager declares its own after average().
  std::map<int, std::vector<PlannedCollective>> declared_;
};

}  // namespace pacbench::trainer
