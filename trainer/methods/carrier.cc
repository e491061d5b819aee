#include "trainer/methods/carrier.h"

#include <stdexcept>
#include <string>

namespace pacbench {
namespace {

/// Levels of "K-bit", of "ternary"; 0 for floats.
int levels_of(const std::string& quantize) {
  if (quantize == "ternary") return 1;
  if (quantize.ends_with("-bit")) return (1 << (quantize.front() - '0' - 1)) - 1;
  return 0;
}

}  // namespace

void Carrier::settle(const Layout&, int) {}

Task<> Carrier::iteration_finished(Group&) { co_return; }

void Carrier::visit_state(StateVisitor&) {}

std::unique_ptr<Carrier> make_carrier(const Json& options, const LinkFacts& link) {
  const std::string quantize = options.at("quantize");
  if (const int levels = levels_of(quantize)) return make_level_carrier(options, levels, link);
  return make_float_carrier(quantize == "fp16" ? at::kHalf : at::kFloat);
}

std::vector<OptionSpec> carrier_options(const char* quantize) {
  using Type = OptionSpec::Type;
  using InLabel = OptionSpec::InLabel;
  const bool floats = quantize == std::string{"none"};
  std::vector<std::string> ways{"ternary", "2-bit", "3-bit", "4-bit",
                                "5-bit",   "6-bit", "7-bit", "8-bit"};
  if (floats) ways.insert(ways.begin(), {"none", "fp16"});
  return {
      {"quantize",
       Type::kChoice,
       quantize,
       {},
       ways,
       floats ? "how kept gradients travel: float32, fp16, ternary digits, or 2^(k-1)-1 levels of "
                "each sign (2-bit is ternary)"
              : "ternary digits, or 2^(k-1)-1 levels of each sign (2-bit is ternary)",
       InLabel::kWhenNotDefault},
      {"encoding",
       Type::kChoice,
       "int8",
       {},
       {"int8", "lanes", "all-to-all", "auto"},
       "how sums of digits travel: a byte each, packed lanes, by all-to-all, or whichever is "
       "expected to be the fastest; all give the same result",
       InLabel::kWhenNotDefault},
      {"scale",
       Type::kChoice,
       "clip",
       {},
       {"clip", "max"},
       "scale of a layer's digits: its largest magnitude, clipped at 2.5 standard deviations or "
       "not",
       InLabel::kWhenNotDefault},
      {"scale_from",
       Type::kChoice,
       "step",
       {},
       {"step", "last"},
       "which scales ranks share: this step's, by one more all-reduce a bucket, or the last "
       "step's, by one for all buckets",
       InLabel::kWhenNotDefault},
      {"error_feedback",
       Type::kBoolean,
       false,
       {},
       {},
       "add what rounding took from a gradient to the next one",
       InLabel::kWhenNotDefault},
  };
}

}  // namespace pacbench
