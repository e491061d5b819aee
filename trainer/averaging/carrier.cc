#include "trainer/averaging/carrier.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trainer/averaging/level_sum.h"
#include "trainer/averaging/option_specs.h"

namespace pacbench::trainer {
namespace {

constexpr double kClipDeviations = 2.5;

const std::vector<std::string>& level_names() {
  static const std::vector<std::string> names{"ternary", "2-bit", "3-bit", "4-bit",
                                              "5-bit",   "6-bit", "7-bit", "8-bit"};
  return names;
}

/// The number of levels of each sign, not counting zero: 1 for "ternary", 2^(K-1) - 1 for "K-bit".
/// 0 where values are not rounded to levels.
int levels_of(const std::string& quantize) {
  if (quantize == "ternary") return 1;
  if (quantize.ends_with("-bit")) return (1 << (quantize.front() - '0' - 1)) - 1;
  return 0;
}

std::int64_t sent_elements(const BucketMask& mask, Flag flag) {
  return mask.kept() + (flag == Flag::kNone ? 0 : 1);
}

/// Sends the kept elements as floats: what PacTrain's paper calls masking alone (float32), and a
/// variant with values in half precision, divided by N before the sum as method fp16 does.
class FloatCarrier final : public Carrier {
 public:
  explicit FloatCarrier(at::ScalarType type) : type_{type} {}

  PlannedCalls traffic_of(const BucketMask& mask, Flag flag) const override {
    const auto bytes = static_cast<std::int64_t>(c10::elementSize(type_));
    return {{CollectiveKind::kAllReduce, sent_elements(mask, flag) * bytes}};
  }

  Task<bool> average_kept(Bucket& bucket, const BucketMask& mask, Flag flag,
                          Group& group) override {
    const auto kept = mask.kept();
    auto values = at::empty({sent_elements(mask, flag)}, bucket.own.options());
    mask.compact(bucket.own, values);
    if (flag != Flag::kNone) values[kept].fill_(flag == Flag::kUp ? 1.0F : 0.0F);

    // Values are divided before the sum only where the sum could overflow.
    const bool narrow = type_ != at::kFloat;
    auto payload = narrow ? values.div_(group.size()).to(type_) : values;
    if (bucket.keeps_rest && narrow) {
      mask.scatter(payload.to(at::kFloat).mul_(group.size()), bucket.mean);
      bucket.own.sub_(bucket.mean);
    } else if (bucket.keeps_rest) {
      bucket.own.zero_();
    }
    co_await group.all_reduce(payload);

    if (narrow) payload = payload.to(at::kFloat);
    mask.scatter(narrow ? payload : payload.div_(group.size()), bucket.mean);
    co_return flag != Flag::kNone&& payload[kept].item<float>() > 0;
  }

 private:
  at::ScalarType type_;
};

/// The scale of one layer's gradient as this rank sees it. Deviations are taken around zero, so
/// that a layer of nearly equal gradients is not clipped to nothing. They are taken over all
/// `possible` elements: these stay the same, whichever of them have been non-zero so far.
float own_scale(const Moments& moments, std::int64_t possible, bool clip) {
  if (possible < 2 || !clip) return moments.largest;
  const double deviation = std::sqrt(moments.sum_of_squares / static_cast<double>(possible));
  return std::min(moments.largest, static_cast<float>(kClipDeviations * deviation));
}

/// Sends the kept elements as whole levels of a scale that all ranks share, so that integers are
/// summed. With one level of each sign these are TernGrad's ternary digits (Wen et al. 2017, arXiv
/// 1705.07878, sections 3 and 4). Each layer has its scale, clipped at 2.5 standard deviations or
/// not; ranks share the largest of theirs. More levels are as in QSGD (Alistarh et al. 2017, arXiv
/// 1610.02132, section 3.1) with the largest magnitude for a norm. Rounding is unbiased; clipping,
/// and a scale of the last iteration, are not.
class LevelCarrier final : public Carrier {
 public:
  LevelCarrier(const Json& options, int levels, const LinkFacts& link)
      : levels_{levels},
        clips_{options.at("scale") == "clip"},
        scales_ahead_{options.at("scale_from") == "last"},
        encoding_{encoding_of(options.at("encoding"))},
        link_{link} {}

  Task<> settle(const Layout& layout, Group& group) override {
    sum_.emplace(encoding_, levels_, group.size(), link_);
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

  PlannedCalls traffic_of(const BucketMask& mask, Flag flag) const override {
    PlannedCalls calls;
    if (!scales_known(mask)) {
      calls.push_back({CollectiveKind::kAllReduce, 4 * std::ssize(mask.parts())});
    }
    const auto sums = sum_->traffic(sent_elements(mask, flag));
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
    auto digits = at::empty({sent_elements(mask, flag)}, bucket.own.options().dtype(at::kChar));
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

  PlannedCalls finish_traffic() const override {
    if (!scales_ahead_) return {};
    return {{CollectiveKind::kAllReduce, 4 * next_scales_.numel()}};
  }

  Task<> finish_iteration(Group& group) override {
    if (!scales_ahead_) co_return;
    shared_scales_.copy_(next_scales_);
    next_scales_.zero_();
    co_await group.all_reduce(shared_scales_, Reduction::kMax);
  }

  void visit_state(StateVisitor& visitor) override { visitor.tensor("scales", shared_scales_); }

 private:
  /// Whether the shared scales can be used. All ranks hold the same ones, so they decide alike.
  bool scales_known(const BucketMask& mask) const {
    if (!scales_ahead_) return false;
    const auto* scale = shared_scales_.const_data_ptr<float>();
    return std::all_of(mask.parts().begin(), mask.parts().end(), [&](const auto& part) {
      return part.bits.kept == 0 || scale[part.parameter] > 0;
    });
  }

  at::Tensor last_scales(const BucketMask& mask) const {
    auto scales = at::empty({std::ssize(mask.parts())});
    auto* scale = scales.data_ptr<float>();
    for (const auto& part : mask.parts()) {
      *scale++ = shared_scales_.const_data_ptr<float>()[part.parameter];
    }
    return scales;
  }

  /// Returns float[parts of the mask]: the scales that this rank would use. Also notes them for the
  /// next iteration.
  at::Tensor own_scales(const Bucket& bucket, const BucketMask& mask, const Group& group) {
    auto scales = at::empty({std::ssize(mask.parts())});
    auto* scale = scales.data_ptr<float>();
    for (std::size_t i = 0; i < mask.parts().size(); ++i) {
      const auto& part = mask.parts()[i];
      const auto found = moments(part.of_bucket(bucket.own), part.bits);
      if (!std::isfinite(found.largest)) refuse_not_finite(bucket, i, found.largest, group);
      scale[i] = own_scale(found, part.possible, clips_);
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
      const float per_unit = *scale > 0 ? static_cast<float>(levels_) / *scale : 0;
      quantise(part.of_bucket(bucket.own), part.bits, per_unit, levels_, key,
               part.of_compacted(digits));
      ++scale;
    }
  }

  /// Converts digits, or sums of `ranks` ranks' digits, to their mean as a gradient.
  void scatter_parts(const at::Tensor& sums, const BucketMask& mask, const at::Tensor& scales,
                     int ranks, const at::Tensor& gradient) const {
    const auto* scale = scales.const_data_ptr<float>();
    const auto share = static_cast<float>(levels_ * ranks);
    for (const auto& part : mask.parts()) {
      scatter_levels(part.of_compacted(sums), part.bits, *scale++ / share,
                     part.of_bucket(gradient));
    }
  }

  int levels_;         ///< digits lie in [-levels, levels]
  bool clips_;         ///< the scale is at most 2.5 standard deviations
  bool scales_ahead_;  ///< scales of the last iteration, from one collective for all buckets
  Encoding encoding_;
  LinkFacts link_;
  std::optional<LevelSum> sum_;
  // These are on the host, where code reads their numbers one by one.
  at::Tensor next_scales_;    ///< float[parameters]: this rank's scales of this iteration
  at::Tensor shared_scales_;  ///< the largest over ranks in the last iteration; 0: unknown
};

}  // namespace

std::unique_ptr<Carrier> make_float_carrier(at::ScalarType type) {
  return std::make_unique<FloatCarrier>(type);
}

std::unique_ptr<Carrier> make_carrier(const Json& options, const LinkFacts& link) {
  const std::string quantize = options.at("quantize");
  if (const int levels = levels_of(quantize)) {
    return std::make_unique<LevelCarrier>(options, levels, link);
  }
  return make_float_carrier(quantize == "fp16" ? at::kHalf : at::kFloat);
}

std::vector<OptionSpec> level_carrier_options() {
  auto encoding = option::choice(
      "encoding", {"int8", "lanes", "all-to-all", "auto"},
      "how sums of digits travel: as a byte each (int8), in packed lanes, by all-to-all, or in the "
      "way that is expected to be the fastest (auto); all give the same result");
  encoding.in_label.always = true;
  encoding.by_link = {"auto"};
  // The study of docs/RULES.md chose these defaults.
  return {
      option::with_default(
          option::always_shown(option::choice(
              "quantize", level_names(),
              "ternary digits, or 2^(k-1)-1 levels of each sign (2-bit is ternary)")),
          "4-bit"),
      option::with_default(encoding, "lanes"),
      option::with_default(option::choice("scale", {"clip", "max"},
                                          "scale of a layer's digits: its largest magnitude, "
                                          "clipped at 2.5 standard deviations (clip) or not (max)"),
                           "max"),
      option::choice(
          "scale_from", {"step", "last"},
          "which scales the ranks share: those of this step, by one more all-reduce for each "
          "bucket, or those of the last step, by one more all-reduce for all buckets"),
      option::error_feedback(false),
  };
}

std::vector<OptionSpec> carrier_options() {
  auto ways = level_names();
  ways.insert(ways.begin(), {"none", "fp16"});
  auto options = level_carrier_options();
  for (auto& option : options) {
    std::vector<Json> where(level_names().begin(), level_names().end());
    if (option.feeds_back) where.emplace_back("fp16");
    option = option::only_with(std::move(option), "quantize", std::move(where));
  }
  options.front() = option::with_default(
      option::choice("quantize", ways,
                     "how kept gradients travel: float32, fp16, ternary digits, or 2^(k-1)-1 "
                     "levels of each sign (2-bit is ternary)"),
      "4-bit");
  options.front().lossless_with = "none";
  options.front().in_label = {.always = true, .none = "float32"};
  return options;
}

}  // namespace pacbench::trainer
