#pragma once

#include <memory>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// The catalogue's entry of `mlp`.
ModelInfo mlp_info();

/// Fully connected layers fc1, fc2, ... with ReLU between them. Option `hidden` has the widths of
/// all but the last layer, which is as wide as there are classes.
std::shared_ptr<Model> make_mlp(const Choice& choice, const DatasetInfo& dataset);

}  // namespace pacbench::trainer
