// TernGrad (Wen et al. 2017, arXiv 1705.07878): each worker's gradient as ternary digits of a
// layer-wise scale that all share, so that the digits of all workers are summed. It is PacTrain
// without its mask. Unbiased but for the clipping; no error feedback in the paper.
#include "trainer/methods/method_entries.h"
#include "trainer/methods/pactrain.h"

namespace pacbench::trainer {

MethodEntryPoint terngrad_method() {
  MethodInfo info;
  info.name = "terngrad";
  info.summary = "ternary digits of a shared scale a layer, summed by all-reduce";
  info.paper = "Wen et al. 2017, arXiv 1705.07878";
  info.options = level_carrier_options();
  info.unbiased = true;
  info.collectives = {"all_reduce", "all_to_all", "all_gather"};
  return {info, [](const Json& options, const LinkFacts& link) -> std::unique_ptr<Method> {
            PacTrain::Options chosen;
            chosen.mask_source = PacTrain::MaskSource::kWeights;
            chosen.error_feedback = options.at("error_feedback");
            return std::make_unique<PacTrain>(chosen, make_carrier(options, link));
          }};
}

}  // namespace pacbench::trainer
