// PacTrain (arXiv 2505.18563): the model is pruned, and gradients are kept as sparse as its
// weights, so that all workers hold the same mask. The elements that the mask keeps are compacted
// into a short dense vector. An ordinary all-reduce carries this vector, optionally as few levels.
// docs/METHODS.md says what the paper leaves open, and what is done here.
#include "trainer/averaging/compacted.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// Which weights go, how many, and when.
std::vector<OptionSpec> pruning_options() {
  using option::only_with;
  return {
      option::pruned_share(),
      option::always_shown(
          option::with_default(option::choice("score", {"grasp", "magnitude", "random"},
                                              "what decides which weights are pruned"),
                               "magnitude")),
      option::choice("normalize", {"none", "l1", "l2"},
                     "divide importances by the mean absolute value (l1) or the root mean square "
                     "(l2) of their layer, so that one threshold compares layers relatively"),
      option::boolean("per_layer", false,
                      "prune each layer by the ratio, not the model as a whole; but each keeps at "
                      "least 1 % of its weights, and at least as many as one filter has"),
      only_with(option::choice("hessian", {"exact", "differences"},
                               "how grasp multiplies by the Hessian: by differentiating the "
                               "gradient, or by central differences of gradients"),
                "score", {"grasp"}),
      only_with(option::number("temperature", 200, Range::positive(),
                               "grasp divides logits by this number, so that no class is certain"),
                "score", {"grasp"}),
      only_with(option::count("score_batches", 1, "how many balanced batches grasp averages over"),
                "score", {"grasp"}),
      option::count("prune_steps", 1,
                    "1: prune once, before the first iteration; 2 or more: prune in this many "
                    "steps, each to a higher ratio"),
      option::count("prune_every", 10, "iterations from one pruning step to the next"),
      option::boolean("gradient_masking", true,
                      "keep gradients as sparse as the weights; false is the ablation"),
  };
}

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
  PruningPlan plan;
  plan.ratio = options.at("pruning_ratio");
  plan.score = options.at("score");
  plan.normalize = options.at("normalize");
  plan.per_layer = options.at("per_layer");
  plan.hessian = options.at("hessian");
  plan.temperature = options.at("temperature");
  plan.batches = options.at("score_batches");
  plan.steps = options.at("prune_steps");
  plan.every = options.at("prune_every");
  plan.stays_pruned = options.at("gradient_masking");
  Compacted::Options chosen;
  chosen.zero_pruned = plan.stays_pruned;
  chosen.tracks_masks = options.at("mask_source") == "tracker";
  chosen.stable_after = options.at("stable_after");
  chosen.check_every = options.at("check_every");
  auto averager = std::make_unique<Compacted>(chosen, make_carrier(options, run.link));
  return std::make_unique<Method>(with_feedback(options, std::move(averager)), plan);
}

}  // namespace

MethodDefinition pactrain_method() {
  auto info = described(
      "pactrain", "pruning", "PacTrain, arXiv 2505.18563",
      "pruned model, masked gradients, compacted all-reduce; lossless only without quantisation");
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
