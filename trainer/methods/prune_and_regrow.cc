// Prune and regrow: the mask of a pruned model changes while it trains, as in RigL (Evci, Gale,
// Menick, Castro and Elsen 2020, arXiv 1911.11134). Kept gradients travel compacted, as PacTrain's.
// Every so often one iteration sends the whole gradient and makes no step. All ranks then drop the
// kept weights of least magnitude, and grow as many where that gradient is largest. As in FedDST
// (Bibikar et al. 2022, arXiv 2112.09824) the share that changes may fall along a cosine. Ranks may
// also vote, with a bit an entry, for where their own gradients are largest. RigL begins with a
// random mask, and sums these gradients on TPUs only. Here the first mask may be scored, and
// gradients or votes are always summed.
#include "trainer/averaging/compacted.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/regrow_rounds.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class PruneAndRegrow final : public Method {
 public:
  using Method::Method;

  /// Skips the optimiser's step of an iteration after which the masks change: its means are not
  /// zero where weights are pruned, or are votes.
  Task<bool> optimizer_step(OptimizerView& view, Group&) override {
    co_return pruning()->regrows_after(view.step.number);
  }
};

std::unique_ptr<Method> make_prune_and_regrow(const Json& options, const RunFacts& run) {
  PruningPlan plan;
  plan.ratio = options.at("pruning_ratio");
  plan.score = options.at("score");
  plan.regrow_every = options.at("regrow_every");
  plan.regrow_share = options.at("regrow_share");
  plan.regrow_decays = options.at("decay") == "cosine";
  plan.regrow_until = static_cast<std::int64_t>(options.at("until").get<double>() *
                                                static_cast<double>(run.max_iterations));
  Compacted::Options compacted;
  compacted.mask_source = Compacted::MaskSource::kWeights;
  auto kept = std::make_unique<Compacted>(compacted, make_float_carrier(at::kFloat));
  const auto grow_by = options.at("grow_by") == "votes" ? GrowBy::kVotes : GrowBy::kGradients;
  return std::make_unique<PruneAndRegrow>(
      std::make_unique<RegrowRounds>(plan, grow_by, std::move(kept)), plan);
}

}  // namespace

MethodDefinition prune_and_regrow_method() {
  MethodInfo info;
  info.name = "prune-and-regrow";
  info.summary =
      "as pactrain, with a mask that drops small weights and grows where gradients are large";
  info.paper = "Evci et al. 2020, arXiv 1911.11134";
  info.family = "pruning";
  info.prunes = true;
  info.owns_step = true;
  info.options = {
      option::pruned_share(),
      option::choice("score", {"magnitude", "random", "grasp"}, "what decides the first mask"),
      option::count("regrow_every", 25, "iterations from one change of the mask to the next"),
      option::number(
          "regrow_share", 0.3, Range::ratio(),
          "share of a layer's kept weights that a change of the mask replaces; with decay "
          "cosine, its value at the start"),
      option::choice("grow_by", {"gradients", "votes"},
                     "where a mask grows: where the mean gradient is largest, or where the most "
                     "ranks have one of their largest gradients"),
      option::choice("decay", {"constant", "cosine"},
                     "whether regrow_share stays, or falls to 0 along a cosine"),
      option::number("until", 0.75, Range::ratio(), "share of the run in which masks change"),
  };
  info.unbiased = true;
  info.collectives = {"all_reduce", "all_gather"};
  return {info, make_prune_and_regrow};
}

}  // namespace pacbench::trainer
