#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "trainer/models/model.h"

namespace pacbench::trainer {

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

}  // namespace pacbench::trainer
