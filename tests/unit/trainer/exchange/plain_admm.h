#pragma once

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/trainer/exchange/thread_ranks.h"

/// A plain two-level consensus ADMM, for workers with different wanted weights and the loss
/// f(w) = 1/2 |w - wanted|^2.
namespace pacbench::trainer::test::plain_admm {

using Tensors = std::vector<at::Tensor>;

inline constexpr double kLr = 0.2;
inline constexpr int kLocalSteps = 3;

/// Three layers and a bias in two buckets, as Reducer has them: the last parameters first.
inline Layout three_layers() {
  auto layout = layout_of({{40, 96}, {12, 60}});
  int parameter = 4;
  for (auto& bucket : layout) {
    for (auto& slice : bucket.slices) slice.parameter = --parameter;
  }
  const auto make_layer = [](ParameterSlice& slice, std::vector<std::int64_t> shape) {
    slice.shape = std::move(shape);
    slice.prunable = true;
  };
  make_layer(layout[1].slices[1], {12, 5});
  make_layer(layout[0].slices[1], {8, 12});
  make_layer(layout[0].slices[0], {5, 8});
  return layout;
}

/// Weights by parameter: whole numbers divided by 8, which depend on `seed`.
inline Tensors some_weights(const Layout& layout, std::int64_t seed) {
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
  double rho_inside = 0.5;
  double rho_between = 0.25;
  double rho_growth = 1.1;
  double rho_max = 0.6;
  std::int64_t masks_until = 12;  ///< of 24 iterations

  double rho(double first, std::int64_t round) const {
    return std::min(first * std::pow(rho_growth, static_cast<double>(round)), rho_max);
  }
  Choice method() const {
    return choice("prunex", {{"sites", sites},
                             {"every", kLocalSteps},
                             {"pruning_ratio", pruning_ratio},
                             {"structure", structure},
                             {"rho_inside", rho_inside},
                             {"rho_between", rho_between},
                             {"rho_growth", rho_growth},
                             {"rho_max", rho_max},
                             {"masks_until", static_cast<double>(masks_until) / 24}});
  }
};

/// PruneX without sub-groups, buckets or compaction: masks are ones and zeros.
class Reference {
 public:
  Reference(const Case& of, std::vector<int> site_of) : case_{of}, site_of_{std::move(site_of)} {
    const auto begin = some_weights(three_layers(), 99);
    const auto copy = [&] {
      Tensors all;
      for (const auto& weight : begin) all.push_back(weight.clone());
      return all;
    };
    const auto zeros = [&] {
      Tensors all;
      for (const auto& weight : begin) all.push_back(at::zeros_like(weight));
      return all;
    };
    for (int rank = 0; rank < of.ranks; ++rank) {
      w_.push_back(copy()), u_.push_back(zeros());
      wanted_.push_back(some_weights(three_layers(), rank));
    }
    for (std::int64_t site = 0; site < of.sites; ++site)
      s_.push_back(copy()), v_.push_back(zeros());
    g = copy();
    for (const auto& weight : begin) mask.push_back(at::ones_like(weight));
  }

  void iterate() {
    ++iteration_;
    const bool frozen = round_ > 0 && iteration_ > case_.masks_until;
    const auto r1 = case_.rho(case_.rho_inside, round_);
    for (std::size_t rank = 0; rank < w_.size(); ++rank) {
      for (std::size_t i = 0; i < g.size(); ++i) {
        auto& w = w_[rank][i];
        auto gradient = w - wanted_[rank][i];
        if (frozen) gradient = gradient * mask[i];
        w = w - kLr * gradient;
        // The x that minimises |x - w|^2 / (2 lr) + r1 |x - s + u|^2 / 2.
        w = (w / kLr + r1 * (s_[site_of(rank)][i] - u_[rank][i])) / (1 / kLr + r1);
      }
    }
    if (iteration_ % kLocalSteps == 0) round(frozen);
  }

  Tensors g;
  Tensors mask;

 private:
  std::size_t site_of(std::size_t rank) const { return static_cast<std::size_t>(site_of_[rank]); }

  void round(bool frozen) {
    const auto r1 = case_.rho(case_.rho_inside, round_);
    const auto r2 = case_.rho(case_.rho_between, round_);
    ++round_;
    const auto r1_ratio = r1 / case_.rho(case_.rho_inside, round_);
    const auto r2_ratio = r2 / case_.rho(case_.rho_between, round_);
    for (std::size_t i = 0; i < g.size(); ++i) {
      for (std::size_t site = 0; site < s_.size(); ++site) {
        auto sum = r2 * (g[i] - v_[site][i]);
        auto weight = r2;
        for (std::size_t rank = 0; rank < w_.size(); ++rank) {
          if (site_of(rank) != site) continue;
          sum = sum + r1 * (w_[rank][i] + u_[rank][i]);
          weight += r1;
        }
        s_[site][i] = sum / weight;
      }
    }
    if (!frozen) choose();
    for (std::size_t i = 0; i < g.size(); ++i) {
      auto sum = at::zeros_like(g[i]);
      for (std::size_t site = 0; site < s_.size(); ++site) {
        s_[site][i] = s_[site][i] * mask[i];
        sum = sum + s_[site][i] + v_[site][i];
      }
      // g needs no mask, since outside of the mask the sum of the duals is zero.
      g[i] = sum / static_cast<double>(s_.size());
      for (std::size_t rank = 0; rank < w_.size(); ++rank) {
        const auto& s = s_[site_of(rank)][i];
        u_[rank][i] = (u_[rank][i] + w_[rank][i] - s) * r1_ratio * mask[i];
        if (frozen) w_[rank][i] = w_[rank][i] * mask[i];
      }
      for (std::size_t site = 0; site < s_.size(); ++site) {
        v_[site][i] = (v_[site][i] + s_[site][i] - g[i]) * r2_ratio * mask[i];
      }
    }
  }

  /// A mask along a dimension, with 1 at the places whose norm over all sites is largest.
  at::Tensor largest(std::size_t i, std::int64_t dimension) const {
    const auto count = g[i].size(dimension);
    std::vector<double> norms;
    for (std::int64_t place = 0; place < count; ++place) {
      norms.push_back(0);
      for (const auto& site : s_) {
        norms.back() += site[i].select(dimension, place).square().sum().item<double>();
      }
    }
    std::vector<std::int64_t> order(norms.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return norms[static_cast<std::size_t>(a)] > norms[static_cast<std::size_t>(b)];
    });
    auto kept = at::zeros({count});
    const auto keeps = std::llround((1 - case_.pruning_ratio) * static_cast<double>(count));
    for (std::int64_t rank = 0; rank < keeps; ++rank)
      kept[order[static_cast<std::size_t>(rank)]] = 1;
    return kept;
  }

  void choose() {
    // Parameters 0, 2 and 3 are layers. No mask removes the first layer's channels, which are
    // inputs, or the last layer's rows, which are classes.
    for (const std::size_t i : {0, 2, 3}) {
      mask[i] = at::ones_like(g[i]);
      if (case_.structure != "channels" && i != 3) mask[i] = mask[i] * largest(i, 0).unsqueeze(1);
      if (case_.structure != "filters" && i != 0) mask[i] = mask[i] * largest(i, 1).unsqueeze(0);
    }
  }

  Case case_;
  std::vector<int> site_of_;
  std::vector<Tensors> w_, u_, s_, v_, wanted_;
  std::int64_t iteration_ = 0;
  std::int64_t round_ = 0;
};

}  // namespace pacbench::trainer::test::plain_admm
