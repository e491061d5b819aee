#include "trainer/methods/pruning_options.h"

#include "trainer/averaging/option_specs.h"

namespace pacbench::trainer {

std::vector<OptionSpec> pruning_options() {
  using option::only_with;
  auto score = option::with_default(option::choice("score", {"grasp", "magnitude", "random"},
                                                   "what decides which weights are pruned"),
                                    "magnitude");
  score.in_label.always = true;
  return {
      option::pruned_share(),
      score,
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

PruningPlan pruning_plan(const Json& options) {
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
  return plan;
}

}  // namespace pacbench::trainer
