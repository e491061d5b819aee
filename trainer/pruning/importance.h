#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
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

/// A loss as a sum of parts, each computed on demand, so that the activations of only one part at a
/// time are in memory.
struct LossInParts {
  std::int64_t parts = 1;
  std::function<at::Tensor(std::int64_t part)> part;  ///< a scalar with its graph
};

/// H g, where g is the gradient and H the Hessian of the loss by `weights`, over all parts and at
/// the present weights. `weights` are leaves of the loss's graph. The result has the shapes of
/// `weights`. It is exact: the gradient of g · g' for a g' that is held constant.
std::vector<at::Tensor> hessian_times_gradient(const LossInParts& loss,
                                               const std::vector<at::Tensor>& weights);

/// H g from central differences, (grad(w + e g) - grad(w - e g)) / 2e: no graph of a gradient is
/// kept, so it takes less memory, and any operation is supported. A ReLU that switches between the
/// two ends spoils the result. So e begins at 1e-9 / |g|, in double precision, and is divided by 10
/// until two results in a row agree. This takes five gradients or more, unless g is zero. Weights
/// are moved and put back. Throws std::runtime_error when no two agree down to 1e-12 / |g|, and
/// std::logic_error when the weights are not double.
std::vector<at::Tensor> hessian_times_gradient_by_differences(
    const LossInParts& loss, const std::vector<at::Tensor>& weights);

/// While this object lives, a model computes in training mode on copies of its parameters and
/// buffers, of floating-point type `type`. Afterwards the model has its own tensors back, the same
/// memory bit for bit, and its former mode. Its parameters then have again the nodes of autograd
/// into which others (c10d's Reducer) have hooked; a change of type alone would lose them.
class ScoringCopy {
 public:
  ScoringCopy(Model& model, at::ScalarType type);
  ScoringCopy(const ScoringCopy&) = delete;
  ScoringCopy& operator=(const ScoringCopy&) = delete;
  ~ScoringCopy();

 private:
  struct Own;

  Model& model_;
  bool was_training_;
  std::vector<Own> own_;
};

/// GraSP (Wang, Zhang, Grosse 2020, arXiv 2002.07376): the importance of a weight w is w · (H g). g
/// is the gradient and H the Hessian of the loss over `batch` by the prunable weights. The authors
/// remove the largest of -w · (H g); their normalisation does not change the order and is left out.
/// Logits are divided by plan.temperature before the loss, so that no class is certain yet.
/// plan.hessian says how H g is found (hessian_times_gradient); differences need double
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
