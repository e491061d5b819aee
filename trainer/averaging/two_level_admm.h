#pragma once

#include <cstdint>
#include <vector>

#include "trainer/averaging/averager.h"

namespace pacbench::trainer {

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
  void begin(const std::vector<at::Tensor>& weights);

  /// Makes a proximal step of the rank's penalty, with the optimiser's learning rate, after the
  /// optimiser's step. As part of the gradient the penalty would enter the momentum, which
  /// overshoots when duals change faster than momentum decays.
  void pull(const std::vector<at::Tensor>& weights, double lr) const;

  /// w + u, which ranks add up.
  at::Tensor rank_share(std::size_t i, const at::Tensor& weight) const;
  /// Computes s from the sum of w + u over `ranks` ranks; `sum` may be flat.
  void update_site(std::size_t i, const at::Tensor& sum, std::int64_t ranks);
  /// s + v, whose mean over sites is g.
  at::Tensor site_share(std::size_t i) const;
  /// Updates u and v and ends the round. Duals are scaled by 1 / rho, so they change when rho does.
  void update_duals(const std::vector<at::Tensor>& weights);

  std::int64_t rounds() const { return rounds_; }
  const std::vector<at::Tensor>& site() const { return site_; }
  const std::vector<at::Tensor>& global() const { return global_; }
  const std::vector<at::Tensor>& rank_dual() const { return rank_dual_; }
  const std::vector<at::Tensor>& site_dual() const { return site_dual_; }

  void visit_state(StateVisitor& visitor);

 private:
  double rho(double first, std::int64_t round) const;

  Options options_;
  std::int64_t rounds_ = 0;
  // By parameter:
  std::vector<at::Tensor> site_;       ///< s, the same on all ranks of a site
  std::vector<at::Tensor> global_;     ///< g, the same on all ranks
  std::vector<at::Tensor> rank_dual_;  ///< u
  std::vector<at::Tensor> site_dual_;  ///< v
};

}  // namespace pacbench::trainer
