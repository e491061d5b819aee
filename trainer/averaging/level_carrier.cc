// Sends the kept elements as whole levels of a scale that all ranks share, so that integers are
// summed. With one level of each sign these are TernGrad's ternary digits (Wen et al. 2017, arXiv
// 1705.07878, sections 3 and 4). Each layer has its scale, clipped at 2.5 standard deviations or
// not; ranks share the largest of theirs. More levels are as in QSGD (Alistarh et al. 2017, arXiv
// 1610.02132, section 3.1) with the largest magnitude for a norm. Rounding is unbiased; clipping,
// and a scale of the last iteration, are not.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trainer/averaging/carrier.h"
#include "trainer/averaging/level_sum.h"

namespace pacbench::trainer {
namespace {

constexpr double kClipDeviations = 2.5;

struct LevelOptions {
  int levels = 1;            ///< digits lie in [-levels, levels]
  bool clip = true;          ///< the scale is at most 2.5 standard deviations
  bool scale_ahead = false;  ///< scales of the last iteration, from one collective for all buckets
  Encoding encoding = Encoding::kInt8;
};

/// The scale of one layer's gradient as this rank sees it. Deviations are taken around zero, so
/// that a layer of nearly equal gradients is not clipped to nothing. They are taken over all
/// `possible` elements: these stay the same, whichever of them have been non-zero so far.
float own_scale(const Moments& moments, std::int64_t possible, bool clip) {
  if (possible < 2 || !clip) return moments.largest;
  const double deviation = std::sqrt(moments.sum_of_squares / static_cast<double>(possible));
  return std::min(moments.largest, static_cast<float>(kClipDeviations * deviation));
}

class LevelCarrier final : public Carrier {
 public:
  LevelCarrier(const LevelOptions& options, const LinkFacts& link)
      : options_{options}, link_{link} {}

  Task<> settle(const Layout& layout, Group& group) override {
    sum_.emplace(options_.encoding, options_.levels, group.size(), link_);
    std::int64_t parameters = 0;
    for (const auto& bucket : layout) {
      for (const auto& slice : bucket.slices) {
        parameters = std::max<std::int64_t>(parameters, slice.parameter + 1);
      }
    }
    if (!next_scales_.defined()) {
      next_scales_ = at::zeros({parameters});
      shared_scales_ = at::zeros({parameters});
    }
    return Carrier::settle(layout, group);
  }

  std::vector<PlannedCollective> traffic_of(const BucketMask& mask, Flag flag) const override {
    std::vector<PlannedCollective> calls;
    if (!scales_known(mask)) {
      calls.push_back({CollectiveKind::kAllReduce, 4 * std::ssize(mask.parts())});
    }
    const auto sums = sum_->traffic(mask.kept() + (flag == Flag::kNone ? 0 : 1));
    calls.insert(calls.end(), sums.begin(), sums.end());
    return calls;
  }

  Task<bool> average_kept(Bucket& bucket, const BucketMask& mask, Flag flag,
                          Group& group) override {
    auto scales = own_scales(bucket, mask, group);
    if (scales_known(mask)) {
      scales = last_scales(mask);
    } else {
      co_await group.all_reduce(scales, Reduction::kMax);
    }
    const auto kept = mask.kept();
    auto digits =
        at::empty({kept + (flag == Flag::kNone ? 0 : 1)}, bucket.own.options().dtype(at::kChar));
    quantise_parts(bucket, mask, scales, digits);
    if (flag != Flag::kNone) digits[kept].fill_(flag == Flag::kUp ? 1 : 0);
    if (bucket.keeps_rest) {
      scatter_parts(digits, mask, scales, 1, bucket.mean);
      bucket.own.sub_(bucket.mean);
    }

    const auto sums = co_await sum_->sum(digits, group);
    scatter_parts(sums, mask, scales, group.size(), bucket.mean);
    co_return flag != Flag::kNone&& sums[kept].item<int>() > 0;
  }

  std::vector<PlannedCollective> finish_traffic() const override {
    if (!options_.scale_ahead) return {};
    return {{CollectiveKind::kAllReduce, 4 * next_scales_.numel()}};
  }

  Task<> finish_iteration(Group& group) override {
    if (!options_.scale_ahead) co_return;
    shared_scales_.copy_(next_scales_);
    next_scales_.zero_();
    co_await group.all_reduce(shared_scales_, Reduction::kMax);
  }

  void visit_state(StateVisitor& visitor) override { visitor.tensor("scales", shared_scales_); }

 private:
  /// Whether the shared scales can be used. All ranks hold the same ones, so they decide alike.
  bool scales_known(const BucketMask& mask) const {
    if (!options_.scale_ahead) return false;
    const auto* scale = shared_scales_.const_data_ptr<float>();
    return std::all_of(mask.parts().begin(), mask.parts().end(), [&](const auto& part) {
      return part.bits.kept == 0 || scale[part.parameter] > 0;
    });
  }

  at::Tensor last_scales(const BucketMask& mask) const {
    auto scales = at::empty({static_cast<std::int64_t>(mask.parts().size())});
    auto* scale = scales.data_ptr<float>();
    for (const auto& part : mask.parts()) {
      *scale++ = shared_scales_.const_data_ptr<float>()[part.parameter];
    }
    return scales;
  }

  /// Returns float[parts of the mask]: the scales that this rank would use. Also notes them for the
  /// next iteration.
  at::Tensor own_scales(const Bucket& bucket, const BucketMask& mask, const Group& group) {
    auto scales = at::empty({static_cast<std::int64_t>(mask.parts().size())});
    auto* scale = scales.data_ptr<float>();
    for (std::size_t i = 0; i < mask.parts().size(); ++i) {
      const auto& part = mask.parts()[i];
      const auto found = moments(part.of_bucket(bucket.own), part.bits);
      if (!std::isfinite(found.largest)) refuse_not_finite(bucket, i, found.largest, group);
      scale[i] = own_scale(found, part.possible, options_.clip);
      next_scales_.data_ptr<float>()[part.parameter] = scale[i];
    }
    return scales;
  }

  void quantise_parts(const Bucket& bucket, const BucketMask& mask, const at::Tensor& scales,
                      const at::Tensor& digits) const {
    const auto* scale = scales.const_data_ptr<float>();
    for (const auto& part : mask.parts()) {
      auto key = bucket.random;
      key.parameter = part.parameter;
      const float per_unit = *scale > 0 ? static_cast<float>(options_.levels) / *scale : 0;
      quantise(part.of_bucket(bucket.own), part.bits, per_unit, options_.levels, key,
               part.of_compacted(digits));
      ++scale;
    }
  }

  /// Converts digits, or sums of `ranks` ranks' digits, to their mean as a gradient.
  void scatter_parts(const at::Tensor& sums, const BucketMask& mask, const at::Tensor& scales,
                     int ranks, const at::Tensor& gradient) const {
    const auto* scale = scales.const_data_ptr<float>();
    const auto share = static_cast<float>(options_.levels * ranks);
    for (const auto& part : mask.parts()) {
      scatter_levels(part.of_compacted(sums), part.bits, *scale++ / share,
                     part.of_bucket(gradient));
    }
  }

  LevelOptions options_;
  LinkFacts link_;
  std::optional<LevelSum> sum_;
  // These are on the host, where code reads their numbers one by one.
  at::Tensor next_scales_;    ///< float[parameters]: this rank's scales of this iteration
  at::Tensor shared_scales_;  ///< the largest over ranks in the last iteration; 0: unknown
};

}  // namespace

std::unique_ptr<Carrier> make_level_carrier(const Json& options, int levels,
                                            const LinkFacts& link) {
  LevelOptions chosen;
  chosen.levels = levels;
  chosen.clip = options.at("scale") == "clip";
  chosen.scale_ahead = options.at("scale_from") == "last";
  chosen.encoding = encoding_of(options.at("encoding"));
  return std::make_unique<LevelCarrier>(chosen, link);
}

}  // namespace pacbench::trainer
