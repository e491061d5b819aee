// PacTrain (arXiv 2505.18563): the model is pruned once, gradients are kept as sparse as its
// weights, so that all workers hold the same mask; what the mask keeps is compacted into a short
// dense vector that an ordinary all-reduce carries, optionally as ternary digits (TernGrad, arXiv
// 1705.07878). Lossless without ternary digits, once a bucket is stable; unbiased but for clipping
// with them. No error feedback, as in the paper. What the paper leaves open, and what is done here,
// stands in docs/METHODS.md.
#include <ATen/Functions.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "trainer/kernels/ternary.h"
#include "trainer/methods/mask_tracker.h"
#include "trainer/methods/method_entries.h"

namespace pacbench {
namespace {

struct Options {
  PruningPlan pruning;
  bool ternary = false;
  std::int64_t stable_after = 3;
};

/// The kept elements of one parameter, as a range of the compacted vector.
struct Segment {
  const ParameterSlice* slice = nullptr;
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

struct BucketState {
  MaskTracker tracker;
  at::Tensor pruned;  ///< bool, where weights are pruned; undefined when none in the bucket is
  at::Tensor held;    ///< gradient outside the agreed mask, to be added in the next iteration
  std::vector<Segment> segments;  ///< of the kept elements; valid while stable
  at::Tensor positions;           ///< int64[kept]: each one's element in its parameter
};

class PacTrain final : public Method {
 public:
  explicit PacTrain(Options options) : options_{std::move(options)} {}

  std::optional<PruningPlan> pruning() const override { return options_.pruning; }

  Task<> layout_settled(const Layout& layout, Group& group) override {
    // A sum of N ternary digits, or of N flags, must fit an int8.
    if (options_.ternary && group.size() > 127) {
      throw std::invalid_argument{
          "pactrain with ternary digits sums them in int8: at most 127 "
          "workers"};
    }
    for (const auto& bucket : layout) {
      at::Tensor pruned;
      const auto mask = bucket.mask();
      if (options_.pruning.stays_pruned && mask.defined()) pruned = mask.logical_not();
      const MaskTracker tracker{bucket.elements, options_.stable_after};
      states_.emplace(bucket.index, BucketState{tracker, pruned, {}, {}, {}});
    }
    co_return;
  }

  std::vector<PlannedCollective> expected_traffic(const BucketLayout& bucket) const override {
    const auto& state = states_.at(bucket.index);
    const auto reduce = CollectiveKind::kAllReduce;
    if (!state.tracker.stable()) {
      return {{reduce, (bucket.elements + 7) / 8, 0}, {reduce, 4 * bucket.elements, 0}};
    }
    const auto sent = state.tracker.kept_count() + 1;  // and the flag
    if (!options_.ternary) return {{reduce, 4 * sent, 0}};
    return {{reduce, 4 * static_cast<std::int64_t>(state.segments.size()), 0}, {reduce, sent, 0}};
  }

  Task<> exchange(Bucket& bucket, Group& group) override {
    auto& state = states_.at(bucket.layout().index);
    auto& gradient = bucket.gradient();
    // Not a product with the mask: an infinite gradient times zero would not be zero.
    if (state.pruned.defined()) gradient.masked_fill_(state.pruned, 0);
    if (state.held.defined()) gradient.add_(state.held);
    state.held = at::Tensor{};
    group.notes()["stable"] = state.tracker.stable();
    if (!state.tracker.stable()) {
      co_await exchange_dense(bucket, state, group);
      co_return;
    }
    const auto compact = gradient.index_select(0, state.tracker.kept());
    const bool outside = hold_what_is_outside(gradient, compact, state);
    group.notes()["kept"] = state.tracker.kept_count();
    bool flagged = false;
    if (options_.ternary) {
      flagged = co_await reduce_ternary(bucket, state, compact, outside, group);
    } else {
      flagged = co_await reduce_floats(bucket, state, compact, outside, group);
    }
    if (!flagged) co_return;
    group.notes()["flagged"] = true;
    state.tracker.reopen();
  }

 private:
  /// Not stable yet: the masks are joined, and the gradient goes as it is.
  Task<> exchange_dense(Bucket& bucket, BucketState& state, Group& group) {
    auto& gradient = bucket.gradient();
    const auto proposal = state.tracker.propose(gradient);
    const auto agreed = co_await group.all_reduce(proposal, Reduction::kBitOr);
    state.tracker.agree(agreed);
    if (state.tracker.stable()) find_segments(bucket.layout(), state);
    co_await group.all_reduce(gradient);
    gradient.div_(group.size());
  }

  /// Returns whether this rank has non-zeros that the agreed mask does not cover, and keeps them.
  static bool hold_what_is_outside(const at::Tensor& gradient, const at::Tensor& compact,
                                   BucketState& state) {
    if (gradient.count_nonzero().item<std::int64_t>() ==
        compact.count_nonzero().item<std::int64_t>()) {
      return false;
    }
    state.held = gradient.clone();
    state.held.index_fill_(0, state.tracker.kept(), 0);
    return true;
  }

  /// Sums the compacted gradient and, as one more element, the flags of all ranks.
  Task<bool> reduce_floats(Bucket& bucket, BucketState& state, at::Tensor compact, bool outside,
                           Group& group) {
    const auto flag = at::full({1}, outside ? 1.0F : 0.0F);
    const auto payload = at::cat({compact, flag});
    const auto sum = co_await group.all_reduce(payload);
    const auto kept = compact.numel();
    const auto mean = sum.narrow(0, 0, kept).div_(group.size());
    bucket.gradient().zero_().index_copy_(0, state.tracker.kept(), mean);
    co_return sum[kept].item<float>() > 0;
  }

  /// Agrees on one scale a layer, then sums digits: scale · sum / N on every rank.
  Task<bool> reduce_ternary(Bucket& bucket, BucketState& state, at::Tensor compact, bool outside,
                            Group& group) {
    auto scales = at::empty({static_cast<std::int64_t>(state.segments.size())});
    auto* scale = scales.data_ptr<float>();
    for (const auto& segment : state.segments) {
      *scale++ = ternary_scale(compact.narrow(0, segment.begin, segment.count));
    }
    co_await group.all_reduce(scales, Reduction::kMax);

    auto digits = at::zeros({compact.numel() + 1}, at::kChar);
    digits[compact.numel()].fill_(outside ? 1 : 0);
    ternarise_segments(bucket, state, compact, scales, digits);
    co_await group.all_reduce(digits);

    auto mean = digits.narrow(0, 0, compact.numel()).to(at::kFloat);
    scale = scales.data_ptr<float>();
    for (const auto& segment : state.segments) {
      mean.narrow(0, segment.begin, segment.count)
          .mul_(*scale++ / static_cast<float>(group.size()));
    }
    bucket.gradient().zero_().index_copy_(0, state.tracker.kept(), mean);
    co_return digits[compact.numel()].item<std::int8_t>() > 0;
  }

  static void ternarise_segments(const Bucket& bucket, const BucketState& state,
                                 const at::Tensor& compact, const at::Tensor& scales,
                                 at::Tensor& digits) {
    const auto* scale = scales.data_ptr<float>();
    for (const auto& segment : state.segments) {
      auto key = bucket.random();
      key.parameter = segment.slice->parameter;
      auto part = digits.narrow(0, segment.begin, segment.count);
      ternarise(compact.narrow(0, segment.begin, segment.count),
                state.positions.narrow(0, segment.begin, segment.count), segment.slice->elements,
                *scale++, key, part);
    }
  }

  static void find_segments(const BucketLayout& layout, BucketState& state) {
    const auto& kept = state.tracker.kept();
    state.segments.clear();
    state.positions = kept.clone();
    const auto* first = kept.data_ptr<std::int64_t>();
    const auto* last = first + kept.numel();
    const auto* begin = first;
    for (const auto& slice : layout.slices) {
      const auto* end = std::lower_bound(begin, last, slice.offset + slice.elements);
      state.segments.push_back({&slice, begin - first, end - begin});
      state.positions.narrow(0, begin - first, end - begin).sub_(slice.offset);
      begin = end;
    }
  }

  Options options_;
  std::map<int, BucketState> states_;
};

std::vector<OptionSpec> option_specs() {
  using Type = OptionSpec::Type;
  using InLabel = OptionSpec::InLabel;
  const Range ratio{0.0, 0.999, true};
  return {
      {"pruning_ratio",
       Type::kNumber,
       0.5,
       ratio,
       {},
       "share of the convolution and linear weights that is pruned",
       InLabel::kAlways},
      {"score",
       Type::kChoice,
       "grasp",
       {},
       {"grasp", "magnitude", "random"},
       "what decides which weights go",
       InLabel::kWhenNotDefault},
      {"gradient_masking",
       Type::kBoolean,
       true,
       {},
       {},
       "keep gradients as sparse as the weights; false is the ablation",
       InLabel::kWhenNotDefault},
      {"quantize",
       Type::kChoice,
       "none",
       {},
       {"none", "ternary"},
       "how compacted gradients travel: as float32 or as ternary digits summed in int8",
       InLabel::kWhenNotDefault},
      {"stable_after",
       Type::kInteger,
       3,
       Range::at_least(1),
       {},
       "agreed masks in a row that must be the same before a bucket is compacted",
       InLabel::kWhenNotDefault},
  };
}

std::unique_ptr<Method> make(const Json& options, const LinkFacts&) {
  Options chosen;
  chosen.pruning.ratio = options.at("pruning_ratio");
  chosen.pruning.score = options.at("score");
  chosen.pruning.stays_pruned = options.at("gradient_masking");
  chosen.ternary = options.at("quantize") == "ternary";
  chosen.stable_after = options.at("stable_after");
  return std::make_unique<PacTrain>(chosen);
}

}  // namespace

MethodEntryPoint pactrain_method() {
  MethodInfo info;
  info.name = "pactrain";
  info.summary =
      "pruned model, masked gradients, compacted all-reduce; ternary digits, then not lossless";
  info.paper = "PacTrain, arXiv 2505.18563";
  info.options = option_specs();
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"all_reduce"};
  return {info, make};
}

}  // namespace pacbench
