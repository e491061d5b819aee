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
/// where g is the gradient of the prunable weights and H the Hessian of the loss. The authors
/// remove the largest of -w · (H g); their normalisation does not change the order and is left
/// out.
struct GraspOptions {
  /// Logits are divided by this before the loss, so that no class is certain yet.
  double temperature = 200;
  /// H g is (grad(w + s g) - grad(w - s g)) / 2s with s · ||g|| equal to this: no second
  /// derivative of every operation is needed. 0: 1e-2 in single, 1e-5 in double precision.
  double step_norm = 0;
};

/// Scores `batch` in evaluation mode, so that both gradients see the same function. The model is
/// unchanged afterwards, gradients included.
Importances grasp_importances(Model& model, const Batch& batch, const GraspOptions& options = {});

/// Absolute values of the weights.
Importances magnitude_importances(const Model& model);

/// Random numbers, the same on all machines for a seed.
Importances random_importances(const Model& model, std::int64_t seed);

}  // namespace pacbench
