// TernGrad (Wen et al. 2017, arXiv 1705.07878): each worker sends its gradient as a few levels
// (in the paper ternary digits) of a scale for each layer. All workers share the scale, so that
// their digits are summed. It is unbiased, unless the scale is clipped or the last step's; the
// paper has no error feedback.
#include "trainer/averaging/carrier.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {

MethodDefinition terngrad_method() {
  auto info = described(
      "terngrad", "quantisation", "Wen et al. 2017, arXiv 1705.07878",
      "entries rounded to a few levels of a scale that workers share for each layer (ternary in "
      "the paper); summed by all-reduce unless `encoding` says otherwise");
  info.options = level_carrier_options();
  info.unbiased = true;
  info.presets = {{"paper",
                   "the paper's ternary digits and clipped scale, with a byte for each digit",
                   {{"quantize", "ternary"}, {"encoding", "int8"}, {"scale", "clip"}}}};
  info.collectives = {"all_reduce", "all_to_all", "all_gather"};
  return averaging(info, [](const Json& options, const RunFacts& run) {
    return make_carrier(options, run.link);
  });
}

}  // namespace pacbench::trainer
