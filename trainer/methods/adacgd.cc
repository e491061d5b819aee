// AdaCGD (Makarenko, Gasanov, Islamov, Sadiev and Richtárik 2022, arXiv 2211.00188). As in EF21,
// each rank keeps an estimate h of its own gradient x, and all keep the mean of these estimates. A
// rank sends no entries while its estimate is near enough. Otherwise it sends top-k of the
// difference, with the smallest of several ratios that brings the estimate near enough, or with the
// largest ratio where none does. A byte for each bucket tells the ratio. An estimate is near enough
// when its squared error is at most `tolerance` times the square of x - y, where y is the previous
// gradient. x - y contains the noise of batches, so that estimates are near enough more often than
// in theory. The first exchange sends with the largest ratio.
#include <ATen/Functions.h>

#include <cmath>
#include <map>

#include "trainer/averaging/bucket_state.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sparse_entries.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class AdaCgd final : public PlacedAverager {
 public:
  explicit AdaCgd(const Json& options)
      : ratio_{options.at("ratio")},
        levels_{options.at("levels")},
        tolerance_{options.at("tolerance")} {}

  Declares declares() const override { return Declares::kAfter; }
  Recording recording() const override { return {.ranks_are_alike = false}; }

  Task<> settle(const Layout& layout, Group& group) override {
    for (auto* state : {&own_, &mean_, &before_}) state->settle(layout, group.device());
    return PlacedAverager::settle(layout, group);
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    return {{CollectiveKind::kAllGather, 1}, entries_.at(bucket.index).traffic(rank_)};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto& own = own_.of(bucket.layout);
    const auto& mean = mean_.of(bucket.layout);
    const auto& before = before_.of(bucket.layout);
    require_finite(bucket, group);
    const auto difference = bucket.own - own;
    // The first exchange may come after iteration 1: espresso may choose adacgd later.
    const bool first = !before.any().item<bool>();
    const auto near = tolerance_ * square(bucket.own - before);
    const auto level = first && difference.any().item<bool>()
                           ? levels_
                           : level_for(bucket.layout, difference, near);
    before.copy_(bucket.own);

    const auto own_level = at::full({1}, level, at::kByte);
    const auto all_levels = co_await group.all_gather(own_level);
    std::vector<std::int64_t> kept;
    for (int rank = 0; rank < ranks_; ++rank) {
      kept.push_back(kept_at(bucket.layout, all_levels[rank].item<std::uint8_t>()));
    }
    const auto places = largest(difference, kept_at(bucket.layout, level));
    own.index_add_(0, places, difference.index_select(0, places));
    const UnequalEntries made{bucket.layout.elements, kept};
    const auto& entries = entries_.insert_or_assign(bucket.layout.index, made).first->second;
    co_await entries.average(difference, places, false, bucket.mean, group);
    bucket.mean.copy_(mean.add_(bucket.mean));
  }

  void visit_state(StateVisitor& visitor) override {
    for (auto* state : {&own_, &mean_, &before_}) state->visit(visitor);
  }

 private:
  static double square(const at::Tensor& values) { return values.square().sum().item<double>(); }

  /// The number of entries that a level sends. Level 0 sends none, level `levels` the option's
  /// ratio, and each level between them a tenth of the next.
  std::int64_t kept_at(const BucketLayout& bucket, std::int64_t level) const {
    if (level == 0) return 0;
    const auto tenths = static_cast<double>(levels_ - level);
    return kept_of(ratio_ * std::pow(0.1, tenths), bucket.elements);
  }

  /// The smallest level that leaves a squared error of at most `near`, or the highest level where
  /// none does.
  std::int64_t level_for(const BucketLayout& bucket, const at::Tensor& difference,
                         double near) const {
    const auto all = square(difference);
    if (all <= near) return 0;
    for (std::int64_t level = 1; level < levels_; ++level) {
      const auto places = largest(difference, kept_at(bucket, level));
      if (all - square(difference.index_select(0, places)) <= near) return level;
    }
    return levels_;
  }

  double ratio_;
  std::int64_t levels_;
  double tolerance_;
  BucketState own_{"own_estimate"};
  BucketState mean_{"mean_estimate"};
  BucketState before_{"gradient_before"};
  std::map<int, UnequalEntries> entries_;  ///< of each bucket, in this iteration
};

}  // namespace

MethodDefinition adacgd_method() {
  auto info = described(
      "adacgd", "error feedback", "Makarenko et al. 2022, arXiv 2211.00188",
      "top-k of the difference to each worker's estimate of its own gradient, with the fewest "
      "entries that suffice, or none");
  info.options = {
      option::kept_share(0.1),
      option::count("levels", 3,
                    "how many ratios to choose from: `ratio`, a tenth of it, and so on"),
      option::number("tolerance", 1, Range::at_least(0),
                     "squared error that an estimate may have, divided by the squared change of "
                     "the gradient since the last iteration")};
  info.error_feedback = true;
  info.state_floats = 2;
  info.collectives = {"all_gather", "all_to_all"};
  return averaging<AdaCgd>(info);
}

}  // namespace pacbench::trainer
