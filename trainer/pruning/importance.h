#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/averaging/pruning_plan.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The importance of each weight: one tensor for each parameter of a model, float, of the
/// parameter's shape, on the CPU; undefined when the parameter is not prunable. Weights with the
/// largest values are kept.
using Importances = std::vector<at::Tensor>;

/// GraSP (Wang, Zhang, Grosse 2020, arXiv 2002.07376): the importance of a weight w is w · (H g). g
/// is the gradient and H the Hessian of the loss over `batch` by the prunable weights. The authors
/// remove the largest of -w · (H g); their normalisation does not change the order and is left out.
/// Logits are divided by plan.temperature before the loss, so that no class is certain yet.
/// plan.hessian says how H g is found (trainer/pruning/hessian.h); differences need double
/// precision. Batch norm uses the statistics of the samples, as in training and as the authors do.
/// To bound memory, the batch is cut into parts of at most 64 samples, each normalised by itself.
/// The model is unchanged afterwards, gradients and running statistics included. Throws ConfigError
/// when plan.hessian is neither "exact" nor "differences".
Importances grasp_importances(Model& model, const Batch& batch, const PruningPlan& plan = {});

/// Absolute values of the weights.
Importances magnitude_importances(const std::vector<Parameter>& parameters);

/// Random numbers, the same on all machines for a seed.
Importances random_importances(const std::vector<Parameter>& parameters, std::int64_t seed);

/// Makes layers comparable: divides each layer's importances by their mean absolute value (`norm`
/// "l1") or their root mean square ("l2"). Both are over the weights that `present` keeps, or over
/// all weights when it is empty. "none" changes nothing; a layer of zeros is left as it is. Throws
/// ConfigError for another word.
void normalise(Importances& importances, const std::string& norm, const WeightMasks& present);

}  // namespace pacbench::trainer
