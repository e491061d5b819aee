#pragma once

#include <cstdint>
#include <optional>

#include "trainer/data/dataset.h"
#include "trainer/models/model.h"

namespace pacbench::trainer {

/// The counts of an evaluation, as sums, so that those of several parts can be added.
struct Evaluation {
  std::int64_t samples = 0;  ///< images, or tokens
  std::int64_t correct = 0;
  double loss_sum = 0;
  bool has_accuracy = true;  ///< false: what is learnt has none, and `correct` means nothing

  double accuracy() const { return static_cast<double>(correct) / static_cast<double>(samples); }
  double loss() const { return loss_sum / static_cast<double>(samples); }
  Evaluation& operator+=(const Evaluation& other);
};

/// Runs a model over `count` samples of a part of a data set from place `first` on, or over all, in
/// evaluation mode and without gradients. Does not change the model.
Evaluation evaluate(Model& model, const Dataset& dataset, const Samples& part,
                    std::int64_t first = 0, std::optional<std::int64_t> count = {});

}  // namespace pacbench::trainer
