// Compares PruneX with a plain two-level consensus ADMM, for workers with different wanted weights
// and the loss f(w) = 1/2 |w - wanted|^2. Tests its fixed points, masks, bytes and refusals too.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::prunex_test {
namespace {

using ::testing::HasSubstr;
using Tensors = std::vector<at::Tensor>;

constexpr double kLr = 0.2;
constexpr int kLocalSteps = 3;
constexpr double kRhoInside = 0.5;
constexpr double kRhoBetween = 0.25;
constexpr double kRhoMax = 0.6;
constexpr int kMasksUntil = 12;  ///< of 24 iterations

/// Three layers and a bias in two buckets, as Reducer has them: the last parameters first.
Layout three_layers() {
  auto layout = layout_of({{40, 96}, {12, 60}});
  int parameter = 4;
  for (auto& bucket : layout) {
    for (auto& slice : bucket.slices) slice.parameter = --parameter;
  }
  layout[1].slices[1].shape = {12, 5};
  layout[0].slices[1].shape = {8, 12};
  layout[0].slices[0].shape = {5, 8};
  for (auto& bucket : layout) {
    for (auto& slice : bucket.slices) slice.prunable = slice.shape.size() == 2;
  }
  return layout;
}

/// Weights by parameter: whole numbers divided by 8, which depend on `seed`.
Tensors some_weights(const Layout& layout, std::int64_t seed) {
  Tensors weights(4);
  const auto values = integer_gradients(layout, 1, 20, seed)[0];
  for (std::size_t b = 0; b < layout.size(); ++b) {
    for (const auto& slice : layout[b].slices) {
      weights[static_cast<std::size_t>(slice.parameter)] =
          (Bucket::part(values[b], slice) / 8).view(slice.shape).clone();
    }
  }
  return weights;
}

struct Case {
  int ranks = 4;
  std::int64_t sites = 2;
  double pruning_ratio = 0.5;
  std::string structure = "filters";
  double rho_growth = 1.1;

  double rho(double first, int round) const {
    return std::min(first * std::pow(rho_growth, round), kRhoMax);
  }
  Choice method() const {
    return choice("prunex", {{"sites", sites},
                             {"every", kLocalSteps},
                             {"pruning_ratio", pruning_ratio},
                             {"structure", structure},
                             {"rho_inside", kRhoInside},
                             {"rho_between", kRhoBetween},
                             {"rho_growth", rho_growth},
                             {"rho_max", kRhoMax},
                             {"masks_until", kMasksUntil / 24.0}});
  }
};

/// All parameters in one vector, in the order of their numbers.
at::Tensor flat(const Tensors& parameters) {
  Tensors all;
  for (const auto& each : parameters) all.push_back(each.flatten());
  return at::cat(all).to(at::kDouble);
}

/// PruneX without sub-groups, buckets or compaction. Tensors have a row for each rank or site, with
/// all parameters in it, and masks are ones and zeros.
class Reference {
 public:
  Reference(const Case& of, const std::vector<int>& site_of)
      : case_{of}, members_{at::zeros({of.sites, of.ranks}, at::kDouble)} {
    Tensors wanted;
    for (int rank = 0; rank < of.ranks; ++rank) {
      wanted.push_back(flat(some_weights(three_layers(), rank)));
      members_[site_of[static_cast<std::size_t>(rank)]][rank] = 1;
    }
    wanted_ = at::stack(wanted);
    g = flat(some_weights(three_layers(), 99));
    mask = at::ones_like(g);
    w_ = g.repeat({of.ranks, 1});
    s_ = g.repeat({of.sites, 1});
    u_ = at::zeros_like(w_);
    v_ = at::zeros_like(s_);
  }

  void iterate() {
    ++iteration_;
    const bool frozen = round_ > 0 && iteration_ > kMasksUntil;
    const auto r1 = case_.rho(kRhoInside, round_);
    auto gradient = w_ - wanted_;
    if (frozen) gradient = gradient * mask;
    w_ = w_ - kLr * gradient;
    // The x that minimises |x - w|^2 / (2 lr) + r1 |x - s + u|^2 / 2.
    w_ = (w_ / kLr + r1 * (of_ranks(s_) - u_)) / (1 / kLr + r1);
    if (iteration_ % kLocalSteps == 0) round(frozen);
  }

  at::Tensor g;
  at::Tensor mask;

 private:
  /// Each rank's row of what its site has.
  at::Tensor of_ranks(const at::Tensor& sites) const { return members_.t().mm(sites); }

  void round(bool frozen) {
    const auto r1 = case_.rho(kRhoInside, round_);
    const auto r2 = case_.rho(kRhoBetween, round_);
    ++round_;
    const auto r1_ratio = r1 / case_.rho(kRhoInside, round_);
    const auto r2_ratio = r2 / case_.rho(kRhoBetween, round_);
    const auto sizes = members_.sum(1).unsqueeze(1);
    s_ = (r1 * members_.mm(w_ + u_) + r2 * (g - v_)) / (r1 * sizes + r2);
    if (!frozen) choose();
    s_ = s_ * mask;
    // g needs no mask, since outside of the mask the sum of the duals is zero.
    g = (s_ + v_).mean(0);
    u_ = (u_ + w_ - of_ranks(s_)) * r1_ratio * mask;
    if (frozen) w_ = w_ * mask;
    v_ = (v_ + s_ - g) * r2_ratio * mask;
  }

  void choose() {
    mask = at::ones_like(g);
    // No mask removes the first layer's channels, which are inputs, or the last layer's rows, which
    // are classes.
    if (case_.structure != "channels") keep_largest(0, 12, 5, 0), keep_largest(72, 8, 12, 0);
    if (case_.structure != "filters") keep_largest(72, 8, 12, 1), keep_largest(168, 5, 8, 1);
  }

  /// Leaves of a layer's rows or columns those whose norm over all sites is largest.
  void keep_largest(std::int64_t offset, std::int64_t rows, std::int64_t columns, int dimension) {
    const auto layer = s_.narrow(1, offset, rows * columns).view({-1, rows, columns});
    const auto norms = layer.square().sum(0).transpose(0, dimension).sum(1);
    const auto count = static_cast<double>(norms.numel());
    const auto keeps = std::llround((1 - case_.pruning_ratio) * count);
    const auto order = norms.argsort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
    const auto kept = at::zeros_like(norms).index_fill_(0, order.narrow(0, 0, keeps), 1);
    auto of_layer = mask.narrow(0, offset, rows * columns).view({rows, columns});
    of_layer.mul_(kept.unsqueeze(1 - dimension));
  }

  Case case_;
  at::Tensor members_;  ///< of each site, ones for its ranks
  at::Tensor w_, u_, s_, v_, wanted_;
  int iteration_ = 0;
  int round_ = 0;
};

/// The method on all ranks, with SGD as optimiser.
class Workers {
 public:
  explicit Workers(const Case& of, const Layout& layout = three_layers())
      : ranks_{ranks_of(of.method(), of.ranks, layout, run())} {
    const auto begin = some_weights(layout, 99);
    for (int rank = 0; rank < of.ranks; ++rank) {
      weights.push_back({});
      for (const auto& weight : begin) weights.back().push_back(weight.clone());
      wanted.push_back(some_weights(layout, rank));
      ranks_.engine(rank).method().begin(begin);
    }
    ranks_.settle(layout);
  }

  void iterate() {
    ++iteration_;
    ranks_.on_all_ranks([this](std::size_t rank) { iterate(rank); });
  }

  const Tensors& global() { return *ranks_.engine(0).method().consensus(); }

  std::map<std::string, at::Tensor> remembered(int rank) {
    return Remembered{ranks_.engine(rank)}.tensors;
  }

  /// The payloads of all of a rank's calls until now, in order.
  std::vector<std::int64_t> payloads(int rank) { return ranks_.payloads(rank); }

  std::vector<Tensors> weights;  ///< by rank and parameter
  std::vector<Tensors> wanted;

 private:
  static RunFacts run() {
    RunFacts run;
    run.max_iterations = 24;
    return run;
  }

  void iterate(std::size_t rank) {
    auto& own = weights[rank];
    Tensors gradients;
    for (std::size_t i = 0; i < own.size(); ++i) gradients.push_back(own[i] - wanted[rank][i]);
    OptimizerView view{own, gradients, {iteration_, kLr, kLr}};
    auto& engine = ranks_.engine(static_cast<int>(rank));
    EXPECT_FALSE(engine.optimizer_step(view));
    for (std::size_t i = 0; i < own.size(); ++i) own[i].sub_(gradients[i], kLr);
    engine.step_finished(view);
  }

  ThreadRanks ranks_;
  std::int64_t iteration_ = 0;
};

TEST(PruneX, IsTwoLevelConsensusAdmmWithMasksThatChangeAndFreeze) {
  for (const char* structure : {"filters", "channels", "both"}) {
    for (const auto& site_of : std::vector<std::vector<int>>{{0, 0, 1, 1}, {0, 0, 1, 1, 1}}) {
      Case of;
      of.structure = structure;
      of.ranks = static_cast<int>(site_of.size());
      SCOPED_TRACE(std::string{structure} + ", " + std::to_string(of.ranks) + " ranks");
      Workers workers{of};
      Reference reference{of, site_of};
      for (int iteration = 0; iteration < 24; ++iteration) {
        workers.iterate();
        reference.iterate();
        EXPECT_TRUE(at::allclose(flat(workers.global()), reference.g, 1e-4, 1e-5)) << iteration;
      }
      EXPECT_EQ(workers.global()[2].ne(0).sum().item<std::int64_t>(),
                reference.mask.narrow(0, 72, 8 * 12).sum().item<std::int64_t>());
    }
  }
}

TEST(PruneX, EndsAtTheMeanThatAllWorkersWantInTheKeptFiltersAndAtZeroInTheOthers) {
  for (const auto& [ranks, pruning_ratio] : {std::pair{5, 0.0}, std::pair{4, 0.5}}) {
    Case of;
    of.ranks = ranks;
    of.pruning_ratio = pruning_ratio;
    of.rho_growth = 1;
    Workers workers{of};
    for (int iteration = 0; iteration < 600; ++iteration) workers.iterate();
    for (const std::size_t layer : {0, 2}) {
      SCOPED_TRACE("layer " + std::to_string(layer) + " of " + std::to_string(ranks) + " ranks");
      auto expected = at::zeros_like(workers.wanted[0][layer]);
      for (const auto& rank : workers.wanted) expected += rank[layer] / ranks;
      if (pruning_ratio > 0) {
        const auto filters = workers.remembered(0).at("filters/" + std::to_string(layer));
        EXPECT_EQ(filters.numel(), expected.size(0) / 2);
        expected *= at::zeros({expected.size(0), 1}).index_fill_(0, filters, 1);
      }
      EXPECT_TRUE(at::allclose(workers.global()[layer], expected, 1e-3, 1e-3));
      for (const auto& rank : workers.weights) {
        EXPECT_TRUE(at::allclose(rank[layer], expected, 1e-3, 1e-3));
      }
    }
  }
}

TEST(PruneX, GivesAllRanksTheSameMasksAndTheSameBits) {
  Case of;
  of.ranks = 6;
  of.sites = 3;
  of.structure = "both";
  Workers workers{of};
  for (int iteration = 0; iteration < 18; ++iteration) {
    workers.iterate();
    const auto expected = workers.remembered(0);
    for (int rank = 1; rank < of.ranks; ++rank) {
      const auto found = workers.remembered(rank);
      for (const auto& [name, value] : expected) {
        // Ranks 0 and 1 share a site. Each rank has its own rank duals.
        const bool is_site = name.starts_with("site");
        if (name.starts_with("rank") || (is_site && rank > 1) || !value.defined()) continue;
        EXPECT_TRUE(at::equal(found.at(name), value)) << name << " of rank " << rank;
      }
    }
  }
}

TEST(PruneX, SendsBetweenSitesWhatPruningLeavesAndScoresUntilMasksFreeze) {
  Case of;
  Workers workers{of};
  constexpr std::int64_t kSecondBucket = 4 * (12 / 2 * 5 + 12);
  constexpr std::int64_t kFirstBucket = 4 * (40 + 8 / 2 * 12);
  constexpr std::int64_t kScores = 4 * (12 + 8);
  const std::vector<std::int64_t> inside{4 * 136, 0, 4 * 72, 0};
  const std::vector<std::int64_t> scores{kScores, kScores, 0};
  const std::vector<std::int64_t> between{kFirstBucket,  kFirstBucket,  0,
                                          kSecondBucket, kSecondBucket, 0};
  std::vector<std::int64_t> expected;
  const auto add = [&](const std::vector<std::int64_t>& calls) {
    expected.insert(expected.end(), calls.begin(), calls.end());
  };
  for (int iteration = 1; iteration <= 15; ++iteration) {
    workers.iterate();
    if (iteration % kLocalSteps != 0) continue;
    add(inside);
    if (iteration <= 12) add(scores);
    add(between);
    EXPECT_EQ(workers.payloads(0), expected) << iteration;
  }
  // Rank 1 leads no site.
  EXPECT_EQ(workers.payloads(1)[4], 0);
  EXPECT_EQ(workers.payloads(1)[5], kScores);
}

TEST(PruneX, RefusesMoreSitesThanWorkersAndAModelWithoutALayerToPrune) {
  const auto workers_of = [](Case of, const Layout& layout = three_layers()) {
    return [of, layout] { const Workers workers{of, layout}; };
  };
  const auto refused_for = [](const char* reason) {
    return ::testing::ThrowsMessage<std::invalid_argument>(HasSubstr(reason));
  };
  EXPECT_THAT(workers_of({.ranks = 2, .sites = 3}), refused_for("found 2 workers"));
  auto no_layer = three_layers();
  for (auto& bucket : no_layer) {
    for (auto& slice : bucket.slices) slice.prunable = slice.parameter == 3;
  }
  EXPECT_THAT(workers_of({.ranks = 2}, no_layer), refused_for("found no layer"));
  EXPECT_NO_THROW(workers_of({.ranks = 2, .pruning_ratio = 0}, no_layer)()) << "none is pruned";
  EXPECT_THAT(workers_of({.ranks = 2, .pruning_ratio = 0.01}), refused_for("more than 50 filters"));
}

}  // namespace
}  // namespace pacbench::trainer::test::prunex_test
