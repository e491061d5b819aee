#include "trainer/methods/carrier.h"

#include <stdexcept>
#include <string>

#include "trainer/methods/option_specs.h"

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
  using option::only_with;
  std::vector<std::string> levels{"ternary", "2-bit", "3-bit", "4-bit",
                                  "5-bit",   "6-bit", "7-bit", "8-bit"};
  const std::vector<Json> with_levels(levels.begin(), levels.end());
  auto lossy = with_levels;
  lossy.emplace_back("fp16");
  auto ways = levels;
  const char* help = "ternary digits, or 2^(k-1)-1 levels of each sign (2-bit is ternary)";
  if (quantize == std::string{"none"}) {
    ways.insert(ways.begin(), {"none", "fp16"});
    help =
        "how kept gradients travel: float32, fp16, ternary digits, or 2^(k-1)-1 levels of each "
        "sign (2-bit is ternary)";
  }
  return {
      option::choice("quantize", ways, help),
      only_with(
          option::choice("encoding", {"int8", "lanes", "all-to-all", "auto"},
                         "how sums of digits travel: a byte each, packed lanes, by all-to-all, or "
                         "whichever is expected to be the fastest; all give the same result"),
          "quantize", with_levels),
      only_with(option::choice("scale", {"clip", "max"},
                               "scale of a layer's digits: its largest magnitude, clipped at 2.5 "
                               "standard deviations or not"),
                "quantize", with_levels),
      only_with(option::choice("scale_from", {"step", "last"},
                               "which scales ranks share: this step's, by one more all-reduce a "
                               "bucket, or the last step's, by one for all buckets"),
                "quantize", with_levels),
      only_with(option::boolean("error_feedback", false,
                                "add what rounding took from a gradient to the next one"),
                "quantize", lossy),
  };
}

}  // namespace pacbench
