// Prune and regrow: the mask of a pruned model changes while it trains, as in RigL (Evci, Gale,
// Menick, Castro and Elsen 2020, arXiv 1911.11134). Kept gradients travel compacted, as PacTrain's.
// Every so often one iteration sends the whole gradient and makes no step. All ranks then drop the
// kept weights of least magnitude, and grow as many where that gradient is largest. As in FedDST
// (Bibikar et al. 2022, arXiv 2112.09824) the share that changes may fall along a cosine. Ranks may
// also vote, with a bit an entry, for where their own gradients are largest. RigL begins with a
// random mask, and sums these gradients on TPUs only. Here the first mask may be scored, and
// gradients or votes are always summed.
#include <ATen/Functions.h>

#include <algorithm>

#include "trainer/averaging/compacted.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/kernels/codes.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// In iterations after which masks change, it exchanges what decides where they grow: the mean
/// gradient of all entries (RigL), or votes (FedDST). Either way bucket.mean ends as a value for
/// each entry, which `regrown` (pruning/prune.h) uses as the gradient: a mask grows where its
/// magnitude is largest. In all other iterations the inner averager exchanges gradients.
class RegrowRounds final : public AveragerAround {
 public:
  RegrowRounds(const PruningPlan& plan, bool by_votes, std::unique_ptr<Averager> inner)
      : AveragerAround{std::move(inner)}, plan_{plan}, by_votes_{by_votes} {}

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    if (!plan_.regrows_after(step.number)) return inner_->traffic(bucket, step);
    if (!by_votes_) return {dense_traffic(bucket)};
    return {{CollectiveKind::kAllGather, sign_bytes(bucket.elements)}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    if (!plan_.regrows_after(bucket.step.number)) return inner_->average(bucket, group);
    return by_votes_ ? average_votes(bucket, group) : average_dense(bucket, group);
  }

 private:
  /// Leaves in bucket.mean the share of the ranks that voted for each entry.
  Task<> average_votes(Bucket& bucket, Group& group) const {
    require_finite(bucket, group);
    const auto own = pack_signs(votes_of(bucket, plan_.regrown_share_after(bucket.step.number)));
    const auto all = co_await group.all_gather(own);
    auto sum = at::full_like(bucket.own, group.size());
    for (int rank = 0; rank < group.size(); ++rank) {
      add_signs(all, 8 * sign_bytes(bucket.layout.elements) * rank, 1, sum);
    }
    bucket.mean.copy_(sum.div_(2 * group.size()));
  }

  /// A rank's votes, float[elements]: 1 at the pruned entries whose gradients are largest on this
  /// rank, as many in each layer as will grow there, and -1 elsewhere.
  static at::Tensor votes_of(const Bucket& bucket, double share) {
    auto votes = at::full_like(bucket.own, -1);
    for (const auto& slice : bucket.layout.slices) {
      if (!slice.mask.defined()) continue;
      const auto kept = slice.mask.to(bucket.own.device());
      const auto pruned = kept.logical_not().nonzero().flatten();
      const auto gradients = Bucket::part(bucket.own, slice).index_select(0, pruned);
      const auto count =
          std::min(regrown_count(share, slice.elements - pruned.numel()), pruned.numel());
      const auto chosen = pruned.index_select(0, largest(gradients, count));
      Bucket::part(votes, slice).index_fill_(0, chosen, 1);
    }
    return votes;
  }

  PruningPlan plan_;
  bool by_votes_;
};

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
  plan.regrow_until = run.share_of_iterations(options.at("until"));
  Compacted::Options compacted;
  compacted.tracks_masks = false;
  auto kept = std::make_unique<Compacted>(compacted, make_float_carrier(at::kFloat));
  const bool by_votes = options.at("grow_by") == "votes";
  return std::make_unique<PruneAndRegrow>(
      std::make_unique<RegrowRounds>(plan, by_votes, std::move(kept)), plan);
}

}  // namespace

MethodDefinition prune_and_regrow_method() {
  auto info = described(
      "prune-and-regrow", "pruning", "Evci et al. 2020, arXiv 1911.11134",
      "as pactrain, with a mask that drops small weights and grows where gradients are large");
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
