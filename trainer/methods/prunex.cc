// PruneX (Olama et al. 2025, arXiv 2512.14628): hierarchical structured ADMM, H-SADMM. Ranks train
// alone. After every few iterations the ranks of a site agree on weights whose filters or channels
// are pruned. The leaders of sites then exchange the kept weights as a smaller dense tensor.
//
// RECONSTRUCTED: the paper's abstract names the parts: weights of each rank, of each site, and one
// global set; a structure that each site's weights must have; compacted buffers between leaders.
// Formulas and constants are ours. They follow from the augmented Lagrangian (TwoLevelAdmm).
// structured_mask.h says what a site's weights may be, and docs/METHODS.md has the choices. Between
// exchanges a rank makes `every` steps of the scenario's optimiser, each followed by a proximal
// step of that rank's penalty. Evaluations use the global weights. The method is biased.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sites.h"
#include "trainer/averaging/structured_mask.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// Consensus ADMM of two levels, M sites with P ranks each, with scaled duals:
///   sum f(w) + r1/2 |w - s + u|^2 over ranks + r2/2 |s - g + v|^2 over sites,
/// in which w are a rank's weights, s its site's, g those of all, u and v the duals. A round is
///   s   (r1 sum(w + u) + r2 (g - v)) / (P r1 + r2), then whatever projection the caller wants
///   g   the mean of s + v over sites
///   u += w - s;  v += s - g
/// This class holds one rank's share of the variables and computes; the caller exchanges the sums.
/// `i` is the number of a parameter.
class TwoLevelAdmm {
 public:
  struct Options {
    double rho_inside = 0;   ///< r1 in the first round
    double rho_between = 0;  ///< r2 in the first round
    double rho_growth = 1;   ///< the factor of both from one round to the next
    double rho_max = 0;      ///< where both stop growing; a larger first value stays
  };

  explicit TwoLevelAdmm(const Options& options) : options_{options} {}

  /// All ranks begin at the same weights, with duals of zero.
  void begin(const std::vector<at::Tensor>& weights) {
    for (const auto& weight : weights) {
      site_.push_back(weight.detach().clone());
      global_.push_back(weight.detach().clone());
      rank_dual_.push_back(at::zeros_like(global_.back()));
      site_dual_.push_back(at::zeros_like(global_.back()));
    }
  }

  /// Makes a proximal step of the rank's penalty, with the optimiser's learning rate, after the
  /// optimiser's step. As part of the gradient the penalty would enter the momentum, which
  /// overshoots when duals change faster than momentum decays.
  void pull(const std::vector<at::Tensor>& weights, double lr) const {
    const auto strength = lr * rho(options_.rho_inside, rounds_);
    for (std::size_t i = 0; i < site_.size(); ++i) {
      auto weight = weights[i].detach();
      weight.add_(site_[i] - rank_dual_[i], strength).div_(1 + strength);
    }
  }

  /// w + u, which ranks add up.
  at::Tensor rank_share(std::size_t i, const at::Tensor& weight) const {
    return weight.detach() + rank_dual_[i];
  }
  /// Computes s from the sum of w + u over `ranks` ranks; `sum` may be flat.
  void update_site(std::size_t i, const at::Tensor& sum, std::int64_t ranks) {
    const auto inside = rho(options_.rho_inside, rounds_);
    const auto between = rho(options_.rho_between, rounds_);
    const auto total = static_cast<double>(ranks) * inside + between;
    auto& site = site_[i];
    site.copy_(sum.view(site.sizes())).mul_(inside / total);
    site.add_(global_[i] - site_dual_[i], between / total);
  }
  /// s + v, whose mean over sites is g.
  at::Tensor site_share(std::size_t i) const { return site_[i] + site_dual_[i]; }
  /// Updates u and v and ends the round. Duals are scaled by 1 / rho, so they change when rho does.
  void update_duals(const std::vector<at::Tensor>& weights) {
    const auto scale = [this](double first) {
      return rho(first, rounds_) / rho(first, rounds_ + 1);
    };
    for (std::size_t i = 0; i < global_.size(); ++i) {
      rank_dual_[i].add_(weights[i].detach() - site_[i]).mul_(scale(options_.rho_inside));
      site_dual_[i].add_(site_[i] - global_[i]).mul_(scale(options_.rho_between));
    }
    ++rounds_;
  }

  std::int64_t rounds() const { return rounds_; }
  const std::vector<at::Tensor>& site() const { return site_; }
  const std::vector<at::Tensor>& global() const { return global_; }
  const std::vector<at::Tensor>& rank_dual() const { return rank_dual_; }
  const std::vector<at::Tensor>& site_dual() const { return site_dual_; }

  void visit_state(StateVisitor& visitor) {
    visitor.number("rounds", rounds_);
    for (std::size_t i = 0; i < global_.size(); ++i) {
      visitor.tensor(fmt::format("global/{}", i), global_[i]);
      visitor.tensor(fmt::format("site/{}", i), site_[i]);
      visitor.tensor(fmt::format("rank_dual/{}", i), rank_dual_[i]);
      visitor.tensor(fmt::format("site_dual/{}", i), site_dual_[i]);
    }
  }

 private:
  double rho(double first, std::int64_t round) const {
    const auto grown = first * std::pow(options_.rho_growth, static_cast<double>(round));
    return std::max(first, std::min(grown, options_.rho_max));
  }

  Options options_;
  std::int64_t rounds_ = 0;
  // By parameter:
  std::vector<at::Tensor> site_;       ///< s, the same on all ranks of a site
  std::vector<at::Tensor> global_;     ///< g, the same on all ranks
  std::vector<at::Tensor> rank_dual_;  ///< u
  std::vector<at::Tensor> site_dual_;  ///< v
};

class PruneX final : public Method {
 public:
  PruneX(const Json& options, const RunFacts& run)
      : Method{std::make_unique<NoExchange>()},
        site_count_{options.at("sites")},
        every_{options.at("every")},
        masks_until_{run.share_of_iterations(options.at("masks_until"))},
        structure_options_{options.at("pruning_ratio"), options.at("structure") != "channels",
                           options.at("structure") != "filters"},
        admm_{TwoLevelAdmm::Options{options.at("rho_inside"), options.at("rho_between"),
                                    options.at("rho_growth"), options.at("rho_max")}} {}

  const std::vector<at::Tensor>* consensus() const override { return &admm_.global(); }
  bool leaves_mean() const override { return false; }
  /// Leaders of sites make calls that other ranks do not.
  Recording recording() const override {
    return {.ranks_are_alike = false, .iterations_to_settle = masks_until_, .period = every_};
  }

  void begin(const std::vector<at::Tensor>& weights) override {
    admm_.begin(weights);
    masks_.resize(weights.size());
  }

  Task<> settle(const Layout& layout, Group& group) override {
    layout_ = &layout;
    structure_ = Structure{layout, structure_options_};
    sites_ = Sites{"prunex", site_count_, group};
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

  PlannedCalls weights_traffic(const Layout& layout, const Step& step) const override {
    PlannedCalls calls;
    if (!is_round(step)) return calls;
    for (const auto& bucket : layout) sites_.declare_sum_inside(4 * bucket.elements, calls);
    if (chooses_masks(step)) sites_.declare_sum_between(4 * structure_.score_count(), calls);
    for (const auto& bucket : layout) {
      sites_.declare_sum_between(4 * structure_.kept_of(bucket), calls);
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

  bool is_round(const Step& step) const { return step.number % every_ == 0; }

  /// Whether masks change no more. The first round chooses masks, even after `masks_until`.
  bool masks_are_frozen(const Step& step) const {
    return admm_.rounds() > 0 && step.number > masks_until_;
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
    masks_ = structure_.masks(scores, masks_.size());
  }

  /// Sets the global weights to the mean of s + v over sites (TwoLevelAdmm), where the mask
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
    kept.div_(sites_.count());
    begin = 0;
    for (const auto& slice : bucket.slices) {
      const auto& global = admm_.global()[number_of(slice)];
      const auto own = kept.narrow(0, begin, structure_.kept_of(slice)).to(global.device());
      masks_[number_of(slice)].expand(own, global);
      begin += own.numel();
    }
  }

  std::int64_t site_count_;
  std::int64_t every_;
  std::int64_t masks_until_;  ///< the last iteration after which masks change
  Structure::Options structure_options_;
  const Layout* layout_ = nullptr;
  Structure structure_;
  Sites sites_;
  TwoLevelAdmm admm_;
  std::vector<StructuredMask> masks_;  ///< by parameter; empty in ranks that have no weights
};

}  // namespace

MethodDefinition prunex_method() {
  auto info = described(
      "prunex", "fewer exchanges", "Olama et al. 2025, arXiv 2512.14628",
      "ADMM: sites agree on pruned weights, leaders exchange the kept weights (reconstructed from "
      "the abstract)");
  info.state_floats = 4;
  auto ratio = option::number("pruning_ratio", 0.5, {0.0, 0.999},
                              "share of each layer's filters, or channels, that is pruned");
  ratio.in_label = {.always = true, .share = "prune"};
  info.options = {
      option::sites(),
      option::always_shown(option::count("every", 8, "iterations from one exchange to the next")),
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
  return {info, made<PruneX>};
}

}  // namespace pacbench::trainer
