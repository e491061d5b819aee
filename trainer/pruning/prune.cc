#include "trainer/pruning/prune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "base/errors.h"
#include "trainer/pruning/threshold.h"

namespace pacbench::trainer {
namespace {

// As in GraSP's published code.
constexpr std::int64_t kSamplesPerClass = 25;

Importances mean_grasp_importances(Model& model, const Dataset& dataset, const PruningPlan& plan,
                                   std::int64_t seed) {
  Importances mean;
  for (std::int64_t draw = 0; draw < plan.batches; ++draw) {
    const auto batch = dataset.balanced_batch(seed, kSamplesPerClass, draw);
    auto importances = grasp_importances(model, batch, plan);
    if (draw == 0) mean.resize(importances.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      if (!importances[i].defined()) continue;
      importances[i].div_(plan.batches);
      mean[i] = mean[i].defined() ? mean[i].add_(importances[i]) : importances[i];
    }
  }
  return mean;
}

}  // namespace

std::vector<std::string> pruning_scores() { return {"grasp", "magnitude", "random"}; }

Importances importances_of(Model& model, const Dataset& dataset, const PruningPlan& plan,
                           std::int64_t seed) {
  if (plan.score == "grasp") return mean_grasp_importances(model, dataset, plan, seed);
  if (plan.score == "magnitude") return magnitude_importances(parameters_of(model));
  if (plan.score == "random") return random_importances(parameters_of(model), seed);
  throw ConfigError{"worker specification",
                    {{"/method/score", fmt::format("found \"{}\", expected one of {}", plan.score,
                                                   fmt::join(pruning_scores(), ", "))}}};
}

WeightMasks choose_masks(const std::vector<Parameter>& parameters, Importances importances,
                         const PruningPlan& plan, double ratio, const WeightMasks& present) {
  check_ratio(parameters, plan.ratio);
  normalise(importances, plan.normalize, present);
  return masks_of(parameters, importances, ratio, present,
                  plan.per_layer ? ShareOf::kEachLayer : ShareOf::kModel);
}

}  // namespace pacbench::trainer
