#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/data/dataset.h"
#include "trainer/models/model.h"

namespace pacbench {

/// How much each weight matters, for each parameter of a model: float, of its shape, on the CPU;
/// undefined when the parameter is not prunable. Weights with the largest values are kept.
using Importances = std::vector<at::Tensor>;

/// GraSP (Wang, Zhang, Grosse 2020, arXiv 2002.07376): keeping a weight w matters by w · (H g),
/// where g is the gradient of the prunable weights and H the Hessian of the loss, both over
/// `batch`. The authors remove the largest of -w · (H g); their normalisation does not change the
/// order and is left out. Logits are divided by `temperature` before the loss, so that no class is
/// certain yet. H g is exact, by differentiating the gradient: differences of two gradients do not
/// do, since every ReLU that switches between the two points counts.
/// Batch norm uses the statistics of the batch, as in training and as the authors do. The model is
/// unchanged afterwards, gradients and running statistics included.
Importances grasp_importances(Model& model, const Batch& batch, double temperature = 200);

/// Absolute values of the weights.
Importances magnitude_importances(const Model& model);

/// Random numbers, the same on all machines for a seed.
Importances random_importances(const Model& model, std::int64_t seed);

}  // namespace pacbench
