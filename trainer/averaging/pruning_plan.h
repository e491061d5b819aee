#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

namespace pacbench::trainer {

/// A method's request to the trainer's pruning stage.
struct PruningPlan {
  double ratio = 0.5;              ///< share of the prunable weights that is pruned, in (0, 1)
  std::string score = "grasp";     ///< grasp, magnitude or random
  std::string normalize = "none";  ///< none, l1 or l2: the norm that divides a layer's scores
  bool per_layer = false;          ///< `ratio` of each layer (see layer_floor); false: of the model
  std::string hessian = "exact";   ///< how grasp finds H g: exact, or by differences of gradients
  double temperature = 200;        ///< the divisor of logits in grasp
  std::int64_t batches = 1;        ///< balanced batches that grasp averages over
  std::int64_t steps = 1;          ///< 1: once, before the first iteration; more: progressively
  std::int64_t every = 10;         ///< iterations from one step to the next
  bool stays_pruned = true;        ///< weights are 0 while they are pruned; the run checks this

  std::int64_t regrow_every = 0;  ///< iterations between changes of the masks; 0: none
  std::int64_t regrow_until = 0;  ///< the last iteration after which masks may change
  double regrow_share = 0;        ///< share of a layer's kept weights that is replaced, at first
  bool regrow_decays = false;     ///< regrow_share falls along a cosine, to 0 at regrow_until

  /// Whether masks change between `iteration` and the next one.
  bool regrows_after(std::int64_t iteration) const {
    return regrow_every > 0 && iteration > 0 && iteration <= regrow_until &&
           iteration % regrow_every == 0;
  }

  /// The share of a layer's kept weights that is pruned after `iteration`; as many weights regrow.
  double regrown_share_after(std::int64_t iteration) const {
    if (!regrow_decays) return regrow_share;
    const auto part = static_cast<double>(iteration) / static_cast<double>(regrow_until);
    return regrow_share * (1 + std::cos(std::numbers::pi * part)) / 2;
  }

  bool operator==(const PruningPlan&) const = default;
};

/// How many of a layer's `kept` weights are replaced for `share`.
constexpr std::int64_t regrown_count(double share, std::int64_t kept) {
  return static_cast<std::int64_t>(share * static_cast<double>(kept));
}

}  // namespace pacbench::trainer
