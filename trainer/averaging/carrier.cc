#include "trainer/averaging/carrier.h"

#include <stdexcept>
#include <string>

#include "trainer/averaging/option_specs.h"

namespace pacbench::trainer {
namespace {

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

}  // namespace

Task<> Carrier::settle(const Layout& layout, Group& group) {
  for (const auto& bucket : layout) {
    everything_[bucket.index] = BucketMask::everything(bucket, group.device());
  }
  co_return;
}

std::vector<PlannedCollective> Carrier::traffic(const BucketLayout& bucket, const Step&) const {
  return traffic_of(everything_.at(bucket.index), Flag::kNone);
}

Task<> Carrier::average(Bucket& bucket, Group& group) {
  co_await average_kept(bucket, everything_.at(bucket.layout.index), Flag::kNone, group);
}

std::unique_ptr<Carrier> make_carrier(const Json& options, const LinkFacts& link) {
  const std::string quantize = options.at("quantize");
  if (const int levels = levels_of(quantize)) return make_level_carrier(options, levels, link);
  return make_float_carrier(quantize == "fp16" ? at::kHalf : at::kFloat);
}

std::vector<OptionSpec> level_carrier_options() {
  auto quantize =
      option::choice("quantize", level_names(),
                     "ternary digits, or 2^(k-1)-1 levels of each sign (2-bit is ternary)");
  auto encoding = option::choice(
      "encoding", {"int8", "lanes", "all-to-all", "auto"},
      "how sums of digits travel: as a byte each (int8), in packed lanes, by all-to-all, or in the "
      "way that is expected to be the fastest (auto); all give the same result");
  quantize.in_label.always = true;
  encoding.in_label.always = true;
  encoding.by_link = {"auto"};
  // The study of docs/RULES.md chose these defaults.
  return {
      option::with_default(quantize, "4-bit"),
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
