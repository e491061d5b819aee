#include "analysis/reproduce/needs.h"

#include <algorithm>
#include <tuple>

namespace pacbench::reproduce {
namespace {

/// The workloads that a claim needs. A step takes as long with CIFAR-10 as with CIFAR-100, whose
/// networks are at most 1 % larger. So for the time of a step the two data sets count as one
/// setting: one measurement must not count twice.
std::vector<Workload> workloads_of(const Claim& claim) {
  if (claim.quantity != Quantity::kThroughput) return claim.population.workloads;
  std::vector<Workload> networks;
  for (const auto& each : claim.population.workloads) {
    const Workload any_data{each.network, ""};
    if (std::find(networks.begin(), networks.end(), any_data) == networks.end()) {
      networks.push_back(any_data);
    }
  }
  return networks;
}

/// Whether the rate of evidence is of no matter: the need names none, or nothing was timed (mode
/// learn), so that nothing depends on the link.
bool is_any_rate(const Need& need, const Evidence& evidence) {
  return !need.rate_mbit || evidence.setting.mode == Mode::kLearn;
}

bool answers(const Need& need, const Claim& claim, const Evidence& evidence) {
  const auto& setting = evidence.setting;
  // A loss of accuracy "up to a ratio" is known only when that very ratio was measured.
  const auto& population = claim.population;
  const bool is_highest = !population.lower_ratios_too || !evidence.ratio ||
                          *evidence.ratio == population.pruning_ratio;
  return evidence.not_counted.empty() && is_highest && setting.network == need.network &&
         (need.dataset.empty() || setting.dataset == need.dataset) &&
         (is_any_rate(need, evidence) || setting.rate_mbit == *need.rate_mbit) &&
         evidence.against_kind == need.baseline;
}

/// The rank of evidence among answers to a need: the larger, the better.
auto quality(const Evidence& evidence) {
  return std::tuple{evidence.value.has_value(), evidence.limit.has_value(), evidence.seeds};
}

}  // namespace

std::vector<Need> needs_of(const Claim& claim) {
  const auto& given = claim.population.rates_mbit;
  std::vector<std::optional<double>> rates(given.begin(), given.end());
  if (rates.empty()) rates.emplace_back();
  std::vector<Need> needs;
  for (const auto& [network, dataset] : workloads_of(claim)) {
    for (const auto& rate : rates) {
      for (const auto& baseline : claim.baselines) {
        needs.push_back({network, dataset, rate, baseline});
      }
    }
  }
  return needs;
}

std::optional<std::size_t> best_answer(const Need& need, const Claim& claim,
                                       const std::vector<Evidence>& evidence,
                                       std::set<std::size_t>& answering) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (!answers(need, claim, evidence[i])) continue;
    answering.insert(i);
    if (!best || quality(evidence[i]) > quality(evidence[*best])) best = i;
  }
  return best;
}

}  // namespace pacbench::reproduce
