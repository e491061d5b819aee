#pragma once

#include <map>
#include <memory>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "trainer/averaging/averager.h"
#include "trainer/averaging/bucket_mask.h"

namespace pacbench::trainer {

/// Whether one more element is summed, by which ranks report non-zeros outside the mask. kNone: no
/// such element. kDown: this rank reports none. kUp: this rank reports some.
enum class Flag { kNone, kDown, kUp };

/// An averager that can leave out the elements that a mask, the same on all ranks, does not keep.
/// Kept elements travel as floats, or as whole levels of a shared scale. average() keeps all
/// elements.
class Carrier : public Averager {
 public:
  Task<> settle(const Layout& layout, Group& group) override {
    for (const auto& bucket : layout) {
      everything_[bucket.index] = BucketMask::everything(bucket, group.device());
    }
    return Averager::settle(layout, group);
  }
  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const final {
    return traffic_of(everything_.at(bucket.index), Flag::kNone);
  }
  Task<> average(Bucket& bucket, Group& group) final {
    co_await average_kept(bucket, everything_.at(bucket.layout.index), Flag::kNone, group);
  }

  /// The collectives that `average_kept` will call.
  virtual PlannedCalls traffic_of(const BucketMask& mask, Flag flag) const = 0;

  /// Averages the values that the mask keeps. All others must be zero, and their mean becomes zero.
  /// Returns whether any rank's flag was kUp.
  virtual Task<bool> average_kept(Bucket& bucket, const BucketMask& mask, Flag flag,
                                  Group& group) = 0;

 private:
  std::map<int, BucketMask> everything_;
};

/// Sends float32, or fp16 divided by N before the sum as method fp16 does.
std::unique_ptr<Carrier> make_float_carrier(at::ScalarType type);

/// The carrier for the options `quantize`, `scale`, `scale_from` and `encoding`.
std::unique_ptr<Carrier> make_carrier(const Json& options, const LinkFacts& link);

/// The options that make_carrier reads and `error_feedback`: for a method that may send floats, and
/// for one that does not.
std::vector<OptionSpec> carrier_options();
std::vector<OptionSpec> level_carrier_options();

}  // namespace pacbench::trainer
