// PacTrain (arXiv 2505.18563): the model is pruned, and gradients are kept as sparse as its
// weights, so that all workers hold the same mask. The elements that the mask keeps are compacted
// into a short dense vector. An ordinary all-reduce carries this vector, optionally as few levels.
// docs/METHODS.md says what the paper leaves open, and what is done here.
#include "trainer/averaging/compacted.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method_definitions.h"
#include "trainer/methods/pruning_options.h"

namespace pacbench::trainer {
namespace {

std::vector<OptionSpec> mask_options() {
  return {
      option::with_default(option::choice("mask_source", {"tracker", "weights"},
                                          "where the mask comes from: found from gradients, as in "
                                          "the paper (tracker), or taken from pruning (weights)"),
                           "weights"),
      option::only_with(
          option::count(
              "stable_after", 3,
              "how many agreed masks in a row must be the same before a bucket is compacted"),
          "mask_source", {"tracker"}),
      option::count("check_every", 100,
                    "exchanges of a bucket with a mask, from one check that all ranks hold the "
                    "same mask to the next"),
  };
}

std::unique_ptr<Method> make_pactrain(const Json& options, const RunFacts& run) {
  const auto plan = pruning_plan(options);
  Compacted::Options chosen;
  chosen.zero_pruned = plan.stays_pruned;
  chosen.mask_source = options.at("mask_source") == "weights" ? Compacted::MaskSource::kWeights
                                                              : Compacted::MaskSource::kTracker;
  chosen.stable_after = options.at("stable_after");
  chosen.check_every = options.at("check_every");
  auto averager = std::make_unique<Compacted>(chosen, make_carrier(options, run.link));
  return std::make_unique<Method>(with_feedback(options, std::move(averager)), plan);
}

}  // namespace

MethodDefinition pactrain_method() {
  MethodInfo info;
  info.name = "pactrain";
  info.summary =
      "pruned model, masked gradients, compacted all-reduce; lossless only without quantisation";
  info.paper = "PacTrain, arXiv 2505.18563";
  info.family = "pruning";
  info.prunes = true;
  for (const auto& options : {pruning_options(), carrier_options(), mask_options()}) {
    info.options.insert(info.options.end(), options.begin(), options.end());
  }
  info.lossless = true;
  info.unbiased = true;
  info.collectives = {"all_reduce", "all_to_all", "all_gather"};
  info.presets = {{"paper",
                   "as in the paper: GraSP scores the weights, the tracker finds the masks, and "
                   "values travel as float32; if \"quantize\" asks for digits, each digit travels "
                   "as one byte, and the scale of a layer is at most 2.5 standard deviations",
                   {{"score", "grasp"},
                    {"mask_source", "tracker"},
                    {"quantize", "none"},
                    {"encoding", "int8"},
                    {"scale", "clip"}}}};
  return {info, make_pactrain};
}

}  // namespace pacbench::trainer
