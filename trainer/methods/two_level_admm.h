#pragma once

#include <cstdint>
#include <vector>

#include "trainer/methods/averager.h"

namespace pacbench::trainer {

/// Consensus ADMM of two levels, M sites with P ranks each, with scaled duals:
///   sum f(w) + r1/2 |w - s + u|^2 over ranks + r2/2 |s - g + v|^2 over sites,
/// in which w are a rank's weights, s its site's, g those of all, u and v the duals. A round is
///   s   (r1 sum(w + u) + r2 (g - v)) / (P r1 + r2), then whatever projection the caller wants
///   g   the mean of s + v over sites
///   u += w - s;  v += s - g
/// This holds one rank's share of it and computes; the sums travel with the caller, who has `i`
/// for the number of a parameter.
class TwoLevelAdmm {
 public:
  struct Options {
    double rho_inside = 0;   ///< r1 in the first round
    double rho_between = 0;  ///< r2 in the first round
    double rho_growth = 1;   ///< of both from one round to the next
    double rho_max = 0;      ///< where they stop to grow
  };

  explicit TwoLevelAdmm(const Options& options) : options_{options} {}

  /// All ranks begin at the same weights, with duals of zero.
  void begin(const std::vector<at::Tensor>& weights);

  /// A proximal step of the rank's penalty, by the optimiser's rate and behind its step. Inside of
  /// the gradient the penalty would get into the momentum, which overshoots when duals change
  /// sooner than it forgets.
  void pull(const std::vector<at::Tensor>& weights, double lr) const;

  /// w + u, which ranks add up.
  at::Tensor rank_share(std::size_t i, const at::Tensor& weight) const;
  /// s from their sum over so many ranks; `sum` may be flat.
  void update_site(std::size_t i, const at::Tensor& sum, std::int64_t ranks);
  /// s + v, whose mean over sites is g.
  at::Tensor site_share(std::size_t i) const;
  /// u and v, and the end of the round: duals are scaled by 1 / rho, so they change with it.
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
