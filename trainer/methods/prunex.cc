// PruneX (Olama et al. 2025, arXiv 2512.14628): hierarchical structured ADMM, H-SADMM. Ranks train
// alone. After every few iterations the ranks of a site agree on weights whose filters or channels
// are pruned. The leaders of sites then exchange the kept weights as a smaller dense tensor.
//
// RECONSTRUCTED: the paper's abstract names the parts: weights of each rank, of each site, and one
// global set; a structure that each site's weights must have; compacted buffers between leaders.
// Formulas and constants are ours. They follow from the augmented Lagrangian (two_level_admm.h).
// structured_mask.h says what a site's weights may be, and docs/METHODS.md has the choices. Between
// exchanges a rank makes `every` steps of the scenario's optimiser, each followed by a proximal
// step of that rank's penalty. Evaluations use the global weights. The method is biased.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sites.h"
#include "trainer/averaging/structured_mask.h"
#include "trainer/averaging/two_level_admm.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// An averager that exchanges nothing: each rank keeps its own gradients.
class LocalGradients final : public Averager {
 public:
  /// Leaders of sites make calls that other ranks do not.
  Recording recording() const override { return {.ranks_are_alike = false}; }
  std::vector<PlannedCollective> traffic(const BucketLayout&, const Step&) const override {
    return {};
  }
  Task<> average(Bucket&, Group&) override { co_return; }
};

class PruneX final : public Method {
 public:
  struct Options {
    std::int64_t sites = 2;
    std::int64_t every = 1;
    Structure::Options structure;
    TwoLevelAdmm::Options admm;
    std::int64_t masks_until = 0;  ///< the last iteration after which masks change
  };

  explicit PruneX(const Options& options)
      : Method{std::make_unique<LocalGradients>()}, options_{options}, admm_{options.admm} {}

  const std::vector<at::Tensor>* consensus() const override { return &admm_.global(); }
  bool leaves_mean() const override { return false; }
  Recording recording() const override {
    return {.ranks_are_alike = false,
            .iterations_to_settle = options_.masks_until,
            .period = options_.every};
  }

  void begin(const std::vector<at::Tensor>& weights) override {
    admm_.begin(weights);
    masks_.resize(weights.size());
  }

  Task<> settle(const Layout& layout, Group& group) override {
    layout_ = &layout;
    structure_ = Structure{layout, options_.structure};
    sites_ = Sites{"prunex", options_.sites, group};
    // Ranks that only exchange gradients have no weights that could be pruned.
    if (!masks_.empty()) structure_.require_some("prunex");
    return Method::settle(layout, group);
  }

  /// Sets the gradients of weights that a frozen mask prunes to zero. The trainer makes the step.
  Task<bool> optimizer_step(OptimizerView& view, Group&) override {
    if (!masks_are_frozen(view.step)) co_return false;
    zero_outside_masks(view.gradients);
    co_return false;
  }

  std::vector<PlannedCollective> weights_traffic(const Layout& layout,
                                                 const Step& step) const override {
    std::vector<PlannedCollective> calls;
    if (!is_round(step)) return calls;
    for (const auto& bucket : layout) sites_.declare_sum_inside(4 * bucket.elements, calls);
    if (chooses_masks(step)) {
      sites_.declare_sum_between(4 * structure_.score_count(), calls);
      sites_.declare_spread_inside(4 * structure_.score_count(), calls);
    }
    for (const auto& bucket : layout) {
      sites_.declare_sum_between(4 * structure_.kept_of(bucket), calls);
      sites_.declare_spread_inside(4 * structure_.kept_of(bucket), calls);
    }
    return calls;
  }

  Task<> step_finished(OptimizerView& view, Group& group) override {
    admm_.pull(view.parameters, view.step.lr);
    if (!is_round(view.step)) co_return;
    for (const auto& bucket : *layout_) co_await agree_inside(bucket, view.parameters, group);
    if (chooses_masks(view.step)) co_await choose_masks(group);
    zero_outside_masks(admm_.site());
    for (const auto& bucket : *layout_) co_await agree_between(bucket, group);
    const bool frozen = masks_are_frozen(view.step);
    admm_.update_duals(view.parameters);
    // Pruned weights have no duals: these would grow with each round and bring the filter back many
    // times as large.
    zero_outside_masks(admm_.rank_dual());
    zero_outside_masks(admm_.site_dual());
    if (frozen) zero_outside_masks(view.parameters);
  }

  void visit_state(StateVisitor& visitor) override {
    Method::visit_state(visitor);
    admm_.visit_state(visitor);
    for (std::size_t i = 0; i < masks_.size(); ++i) {
      visitor.tensor(fmt::format("filters/{}", i), masks_[i].filters);
      visitor.tensor(fmt::format("channels/{}", i), masks_[i].channels);
    }
  }

 private:
  static std::size_t number_of(const ParameterSlice& slice) {
    return static_cast<std::size_t>(slice.parameter);
  }

  bool is_round(const Step& step) const { return step.number % options_.every == 0; }

  /// Whether masks change no more. The first round chooses masks, even after `masks_until`.
  bool masks_are_frozen(const Step& step) const {
    return admm_.rounds() > 0 && step.number > options_.masks_until;
  }
  bool chooses_masks(const Step& step) const {
    return !structure_.keeps_all() && !masks_are_frozen(step);
  }

  void zero_outside_masks(const std::vector<at::Tensor>& tensors) const {
    for (std::size_t i = 0; i < masks_.size(); ++i) masks_[i].zero_outside(tensors[i].detach());
  }

  /// Computes the site's weights from those of its ranks. The result is not pruned yet.
  Task<> agree_inside(const BucketLayout& bucket, const std::vector<at::Tensor>& weights,
                      Group& group) {
    auto sum = at::empty({bucket.elements}, group.device());
    for (const auto& slice : bucket.slices) {
      const auto i = number_of(slice);
      Bucket::part(sum, slice).copy_(admm_.rank_share(i, weights[i]).flatten());
    }
    co_await sites_.sum_inside(sum, group);
    for (const auto& slice : bucket.slices) {
      admm_.update_site(number_of(slice), Bucket::part(sum, slice), sites_.own_size());
    }
  }

  /// All sites choose the same filters and channels: those of largest norm over all sites.
  Task<> choose_masks(Group& group) {
    const auto scores = structure_.scores(admm_.site(), group.device());
    co_await sites_.sum_between(scores, group);
    co_await sites_.spread_inside(scores, group);
    masks_ = structure_.masks(scores, masks_.size());
  }

  /// Sets the global weights to the mean of s + v over sites (two_level_admm.h), where the mask
  /// keeps weights. Outside the mask s is zero, and the mean of the sites' duals v is zero too.
  Task<> agree_between(const BucketLayout& bucket, Group& group) {
    auto kept = at::empty({structure_.kept_of(bucket)}, group.device());
    std::int64_t begin = 0;
    for (const auto& slice : bucket.slices) {
      const auto i = number_of(slice);
      const auto own = masks_[i].compact(admm_.site_share(i));
      kept.narrow(0, begin, own.numel()).copy_(own);
      begin += own.numel();
    }
    co_await sites_.sum_between(kept, group);
    co_await sites_.spread_inside(kept, group);
    kept.div_(sites_.count());
    begin = 0;
    for (const auto& slice : bucket.slices) {
      const auto& global = admm_.global()[number_of(slice)];
      const auto own = kept.narrow(0, begin, structure_.kept_of(slice)).to(global.device());
      masks_[number_of(slice)].expand(own, global);
      begin += own.numel();
    }
  }

  Options options_;
  const Layout* layout_ = nullptr;
  Structure structure_;
  Sites sites_;
  TwoLevelAdmm admm_;
  std::vector<StructuredMask> masks_;  ///< by parameter; empty in ranks that have no weights
};

std::unique_ptr<Method> make_prunex(const Json& options, const RunFacts& run) {
  const std::string structure = options.at("structure");
  PruneX::Options own;
  own.sites = options.at("sites");
  own.every = options.at("every");
  own.structure = {options.at("pruning_ratio"), structure != "channels", structure != "filters"};
  own.admm = {options.at("rho_inside"), options.at("rho_between"), options.at("rho_growth"),
              options.at("rho_max")};
  own.masks_until = static_cast<std::int64_t>(options.at("masks_until").get<double>() *
                                              static_cast<double>(run.max_iterations));
  return std::make_unique<PruneX>(own);
}

}  // namespace

MethodDefinition prunex_method() {
  MethodInfo info;
  info.name = "prunex";
  info.summary =
      "ADMM: sites agree on pruned weights, leaders exchange the kept weights (reconstructed from "
      "the abstract)";
  info.paper = "Olama et al. 2025, arXiv 2512.14628";
  info.family = "fewer exchanges";
  info.state_floats = 4;
  auto every = option::count("every", 8, "iterations from one exchange to the next");
  every.in_label.always = true;
  auto ratio = option::number("pruning_ratio", 0.5, {0.0, 0.999},
                              "share of each layer's filters, or channels, that is pruned");
  ratio.in_label = {.always = true, .share = "prune"};
  info.options = {
      option::sites(),
      every,
      ratio,
      option::choice("structure", {"filters", "channels", "both"},
                     "which whole slices of a weight are pruned: filters (slices of its first "
                     "dimension), channels (of its second), or both"),
      option::number("masks_until", 0.5, {0.0, 1.0}, "share of the run in which masks change"),
      option::number("rho_inside", 2, Range::positive(),
                     "initial penalty for differences between a worker's and its site's weights"),
      option::number("rho_between", 2, Range::positive(),
                     "initial penalty for differences between a site's and the global weights"),
      option::number("rho_growth", 1, Range::at_least(1),
                     "factor by which both penalties grow with each exchange"),
      option::number("rho_max", 10, Range::positive(),
                     "value at which both penalties stop growing"),
  };
  info.collectives = {"all_reduce", "broadcast"};
  return {info, make_prunex};
}

}  // namespace pacbench::trainer
