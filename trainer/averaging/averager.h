#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "contract/network/link_facts.h"
#include "contract/scenario/workload.h"
#include "trainer/averaging/bucket.h"
#include "trainer/averaging/state_visitor.h"
#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// The facts about a run that its method knows when it is made.
struct RunFacts {
  LinkFacts link = {};
  Optimizer optimizer = {};
  std::int64_t max_iterations = 0;

  /// `share` of the run's iterations, rounded down.
  std::int64_t share_of_iterations(double share) const {
    return static_cast<std::int64_t>(share * static_cast<double>(max_iterations));
  }
};

/// What a recording of a method's exchanges must know (modes compose and simulate replay it). The
/// defaults suit a method whose ranks all do the same in every iteration.
struct Recording {
  /// Whether all ranks make the same calls with equal payloads, and treat all other ranks alike, so
  /// that one rank's calls show those of all. If not, every rank is recorded.
  bool ranks_are_alike = true;
  /// Whether a bucket's exchange can end before another one of the iteration has begun.
  bool ends_alone = true;
  /// The number of iterations at the start whose exchanges differ from those of later iterations. A
  /// measurement leaves them out. It skips them, except the first iterations_to_decide, which it
  /// must run: these tell the method what the later exchanges are.
  std::int64_t iterations_to_settle = 0;
  std::int64_t iterations_to_decide = 0;
  /// The number of iterations after which the calls repeat.
  std::int64_t period = 1;
};

/// Training diverged: the loss or a gradient is not finite. Training would diverge again with the
/// same options, whereas other failures need not come from the options.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Turns what each rank holds into a mean that all ranks hold. Averagers nest: error feedback is
/// an averager around another (feedback.h), and so is compaction (compacted.h). Each rank has its
/// own object and uses it on one thread at a time, so it needs no locks.
class Averager {
 public:
  virtual ~Averager() = default;

  /// Called on all ranks before the first average, when buckets have their final shape and masks
  /// are known. Called again between two iterations whenever masks have changed. State that belongs
  /// to buckets is made here. Throws std::invalid_argument when the averager does not support that
  /// many ranks.
  virtual Task<> settle(const Layout& layout, Group& group);

  /// When traffic() can compute its answer.
  enum class Declares {
    kBefore,   ///< before average(): sizes follow from the layout and agreed state
    kAfter,    ///< after average(): sizes follow from counts that the ranks agreed on meanwhile
    kNothing,  ///< never; only tests of the group use it
  };
  virtual Declares declares() const { return Declares::kBefore; }

  /// The collectives that average() calls for this bucket on this rank, in their order. They are
  /// computed from the layout and from agreed state, never from what was called: the run compares
  /// them with the group's calls and fails when they differ.
  virtual PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const = 0;

  /// Turns bucket.own into bucket.mean: the mean over all ranks, or what the method puts in its
  /// place (an estimate, a vote), the same bits on each rank. An averager of a method whose ranks
  /// train alone may call no collective and leave each rank its own values. While one bucket's call
  /// waits for a collective, those of other buckets go on. Throws Diverged, naming rank, bucket and
  /// parameter, for values that are not finite where it cannot send such values.
  virtual Task<> average(Bucket& bucket, Group& group) = 0;

  /// Called on all ranks after the last bucket of an iteration; finish_traffic says which
  /// collectives it will call.
  virtual Task<> finish_iteration(Group& group);
  virtual PlannedCalls finish_traffic() const { return {}; }

  /// Adds this rank's residual of the bucket to `values`, in the bucket's layout, and sets the
  /// residual to zero. Called when another averager has the bucket from now on. Does nothing by
  /// default: only Feedback has a residual that it can hand over. It hands over a residual of steps
  /// (Feedback::Of) as it is, also where the learning rate has changed since the last exchange.
  virtual void hand_over_rest(const BucketLayout& /*bucket*/, at::Tensor /*values*/) {}

  /// For whoever records exchanges; training never asks.
  virtual Recording recording() const { return {}; }

  /// All that is remembered from one iteration to the next, for checkpoints. Called between
  /// iterations, after settle.
  virtual void visit_state(StateVisitor&) {}

  /// Euclidean norm of the residual of this rank's values, over all buckets; absent where the
  /// averager keeps none.
  virtual std::optional<double> residual_norm() const { return std::nullopt; }
};

/// An averager that remembers which rank it is, and how many ranks there are.
class PlacedAverager : public Averager {
 public:
  Task<> settle(const Layout& layout, Group& group) override;

 protected:
  int rank_ = 0;
  int ranks_ = 1;
};

/// An averager around another one. Calls that a derived class does not override go to the inner
/// averager.
class AveragerAround : public Averager {
 public:
  explicit AveragerAround(std::unique_ptr<Averager> inner) : inner_{std::move(inner)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    return inner_->settle(layout, group);
  }
  Declares declares() const override { return inner_->declares(); }
  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    return inner_->traffic(bucket, step);
  }
  Task<> average(Bucket& bucket, Group& group) override { return inner_->average(bucket, group); }
  Task<> finish_iteration(Group& group) override { return inner_->finish_iteration(group); }
  PlannedCalls finish_traffic() const override { return inner_->finish_traffic(); }
  void hand_over_rest(const BucketLayout& bucket, at::Tensor values) override {
    inner_->hand_over_rest(bucket, std::move(values));
  }
  Recording recording() const override { return inner_->recording(); }
  void visit_state(StateVisitor& visitor) override { inner_->visit_state(visitor); }
  std::optional<double> residual_norm() const override { return inner_->residual_norm(); }

 protected:
  std::unique_ptr<Averager> inner_;
};

/// average_dense averages the whole bucket, as it is, by one all-reduce; dense_traffic is its
/// traffic.
PlannedCollective dense_traffic(const BucketLayout& bucket);
Task<> average_dense(Bucket& bucket, Group& group);

/// Throws Diverged, naming rank, bucket and parameter, where a value is not finite. It is for
/// averagers that would send something finite instead of such a value.
void require_finite(const Bucket& bucket, const Group& group);

/// Throws what require_finite throws. `value`, which is not finite, is the largest magnitude in
/// slice number `slice`.
[[noreturn]] void refuse_not_finite(const Bucket& bucket, std::size_t slice, double value,
                                    const Group& group);

}  // namespace pacbench::trainer
