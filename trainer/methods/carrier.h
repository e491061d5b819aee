#pragma once

#include <memory>
#include <vector>

#include "spec/catalogue.h"
#include "spec/link_facts.h"
#include "trainer/collectives/group.h"
#include "trainer/methods/bucket.h"
#include "trainer/methods/bucket_mask.h"
#include "trainer/methods/state_visitor.h"

namespace pacbench::trainer {

/// One more summed element that lets any rank speak up: "I have non-zeros outside the mask".
enum class Flag { kNone, kDown, kUp };

/// How the kept elements of a bucket travel, once all ranks hold the same mask: as floats, or as
/// whole levels of a shared scale.
class Carrier {
 public:
  virtual ~Carrier() = default;

  /// Called whenever a method's layout is settled. Throws std::invalid_argument when the sums of
  /// so many ranks would not fit.
  virtual void settle(const Layout& layout, int ranks);

  /// What `reduce` will call.
  virtual std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const BucketMask& mask,
                                                 Flag flag) const = 0;

  /// Turns the kept elements of the gradient, which is zero elsewhere, into their mean over all
  /// ranks, and leaves in `residual` (float[elements]; undefined without error feedback) what
  /// rounding took from this rank's. Returns whether any rank's flag was up. Throws
  /// std::runtime_error that names rank, bucket and parameter when levels are asked of a gradient
  /// that is not finite.
  virtual Task<bool> reduce(Bucket& bucket, const BucketMask& mask, Flag flag, at::Tensor residual,
                            Group& group) = 0;

  /// What is left to be said after the last bucket of an iteration.
  virtual std::vector<PlannedCollective> iteration_traffic() const { return {}; }
  virtual Task<> iteration_finished(Group& group);

  virtual void visit_state(StateVisitor& visitor);
};

/// float32, or fp16 divided by N before the sum as method fp16 does.
std::unique_ptr<Carrier> make_float_carrier(at::ScalarType type);

/// Whole levels by stochastic rounding: see level_carrier.cc.
std::unique_ptr<Carrier> make_level_carrier(const Json& options, int levels, const LinkFacts& link);

/// The carrier for the options `quantize`, `scale`, `scale_from` and `encoding`.
std::unique_ptr<Carrier> make_carrier(const Json& options, const LinkFacts& link);

/// Those options and `error_feedback`: of a method that may send floats, and of one that does not.
std::vector<OptionSpec> carrier_options();
std::vector<OptionSpec> level_carrier_options();

}  // namespace pacbench::trainer
