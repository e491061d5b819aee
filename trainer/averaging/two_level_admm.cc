#include "trainer/averaging/two_level_admm.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pacbench::trainer {

void TwoLevelAdmm::begin(const std::vector<at::Tensor>& weights) {
  for (const auto& weight : weights) {
    site_.push_back(weight.detach().clone());
    global_.push_back(weight.detach().clone());
    rank_dual_.push_back(at::zeros_like(global_.back()));
    site_dual_.push_back(at::zeros_like(global_.back()));
  }
}

double TwoLevelAdmm::rho(double first, std::int64_t round) const {
  const auto grown = first * std::pow(options_.rho_growth, static_cast<double>(round));
  return std::max(first, std::min(grown, options_.rho_max));
}

void TwoLevelAdmm::pull(const std::vector<at::Tensor>& weights, double lr) const {
  const auto strength = lr * rho(options_.rho_inside, rounds_);
  for (std::size_t i = 0; i < site_.size(); ++i) {
    auto weight = weights[i].detach();
    weight.add_(site_[i] - rank_dual_[i], strength).div_(1 + strength);
  }
}

at::Tensor TwoLevelAdmm::rank_share(std::size_t i, const at::Tensor& weight) const {
  return weight.detach() + rank_dual_[i];
}

void TwoLevelAdmm::update_site(std::size_t i, const at::Tensor& sum, std::int64_t ranks) {
  const auto inside = rho(options_.rho_inside, rounds_);
  const auto between = rho(options_.rho_between, rounds_);
  const auto total = static_cast<double>(ranks) * inside + between;
  auto& site = site_[i];
  site.copy_(sum.view(site.sizes())).mul_(inside / total);
  site.add_(global_[i] - site_dual_[i], between / total);
}

at::Tensor TwoLevelAdmm::site_share(std::size_t i) const { return site_[i] + site_dual_[i]; }

void TwoLevelAdmm::update_duals(const std::vector<at::Tensor>& weights) {
  const auto scale = [this](double first) { return rho(first, rounds_) / rho(first, rounds_ + 1); };
  for (std::size_t i = 0; i < global_.size(); ++i) {
    rank_dual_[i].add_(weights[i].detach() - site_[i]).mul_(scale(options_.rho_inside));
    site_dual_[i].add_(site_[i] - global_[i]).mul_(scale(options_.rho_between));
  }
  ++rounds_;
}

void TwoLevelAdmm::visit_state(StateVisitor& visitor) {
  visitor.number("rounds", rounds_);
  for (std::size_t i = 0; i < global_.size(); ++i) {
    visitor.tensor(fmt::format("global/{}", i), global_[i]);
    visitor.tensor(fmt::format("site/{}", i), site_[i]);
    visitor.tensor(fmt::format("rank_dual/{}", i), rank_dual_[i]);
    visitor.tensor(fmt::format("site_dual/{}", i), site_dual_[i]);
  }
}

}  // namespace pacbench::trainer
