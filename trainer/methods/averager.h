#pragma once

#include <optional>
#include <vector>

#include "trainer/collectives/group.h"
#include "trainer/methods/bucket.h"
#include "trainer/methods/state_visitor.h"

namespace pacbench::trainer {

/// A way to turn what each rank holds into one mean that all hold. Averagers stand inside each
/// other: error feedback is an averager around another (feedback.h), and so is compaction
/// (compacted.h). One object a rank, used on one thread only, so it needs no locks.
class Averager {
 public:
  virtual ~Averager() = default;

  /// Called on all ranks when buckets have got their final shape and masks are known, before the
  /// first average, and again between two iterations whenever masks have changed. State that
  /// belongs to buckets is made here. Throws std::invalid_argument when so many ranks cannot be
  /// served.
  virtual Task<> settle(const Layout& layout, Group& group);

  /// When traffic() knows.
  enum class Declares {
    kBefore,   ///< before average(): sizes follow from the layout and agreed state
    kAfter,    ///< after it: sizes follow from counts that the ranks agreed on meanwhile
    kNothing,  ///< for tests of collectives alone
  };
  virtual Declares declares() const { return Declares::kBefore; }

  /// Whether all ranks hand in as much in the same calls, for all others alike, so that one rank's
  /// calls tell those of all; else a recording needs every rank (mode compose).
  virtual bool ranks_are_alike() const { return true; }

  /// Whether a bucket's exchange can end before another one of the iteration has begun.
  virtual bool ends_alone() const { return true; }

  /// The collectives that average() calls for this bucket on this rank, in their order. They are
  /// computed from the layout and from agreed state, never from what was called: the run compares
  /// them with the group's calls and fails when they differ.
  virtual std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                                 const Step& step) const = 0;

  /// Turns bucket.own into bucket.mean: the mean over all ranks, the same bits on each of them.
  /// Calling no collective at all is allowed. Buckets of one iteration run interleaved. Throws
  /// Diverged, naming rank, bucket and parameter, for values that are not finite where it cannot
  /// send such.
  virtual Task<> average(Bucket& bucket, Group& group) = 0;

  /// Called on all ranks after the last bucket of an iteration, and what that will call.
  virtual Task<> finish_iteration(Group& group);
  virtual std::vector<PlannedCollective> finish_traffic() const { return {}; }

  /// Adds to `values`, laid out as the bucket, what this rank holds back of it, and forgets that:
  /// another averager has the bucket from now on.
  virtual void hand_over_rest(const BucketLayout& bucket, at::Tensor values);

  /// Iterations at the start whose exchanges are not like the later ones, as a measurement of the
  /// later ones has to know.
  virtual std::int64_t iterations_to_settle() const { return 0; }

  /// All that is remembered from one iteration to the next, for checkpoints. Called between
  /// iterations, after settle.
  virtual void visit_state(StateVisitor& visitor);

  /// Euclidean norm of what error feedback holds back on this rank; absent without it.
  virtual std::optional<double> residual_norm() const { return std::nullopt; }
};

/// An averager that remembers which rank it is, and of how many.
class PlacedAverager : public Averager {
 public:
  Task<> settle(const Layout& layout, Group& group) override;

 protected:
  int rank_ = 0;
  int ranks_ = 1;
};

/// The whole bucket, as it is, by one all-reduce: what that calls, and the mean.
PlannedCollective dense_traffic(const BucketLayout& bucket);
Task<> average_dense(Bucket& bucket, Group& group);

/// Several vectors of floats, each in place, by one all-reduce of 4 bytes an element of them all;
/// none of them, by no call at all.
Task<> average_together(std::vector<at::Tensor> vectors, Group& group);

/// For who would send something finite in the place of what is not. Throws Diverged, naming rank,
/// bucket and parameter.
void require_finite(const Bucket& bucket, const Group& group);

/// Throws what require_finite throws: `value` was found in the slice of that number.
[[noreturn]] void refuse_not_finite(const Bucket& bucket, std::size_t slice, double value,
                                    const Group& group);

}  // namespace pacbench::trainer
