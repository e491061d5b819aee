#pragma once

#include <cstdint>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// Sets every parameter as a pure function of `seed` and its place in the model, on any machine
/// with any number of threads. Convolutions are normal with variance 2 / fan-out (He et al. 2015).
/// Linear weights and biases are uniform within ±1 / sqrt(fan-in), as torch does by default. Scales
/// of norms are 1. All other tensors (embeddings, class tokens, projections into attention) are
/// normal with deviation 0.02 (Radford et al. 2018). Biases of convolutions and of projections into
/// attention, and shifts of norms, are 0. Attention's output projection is a linear layer.
void initialise_weights(Model& model, std::int64_t seed);

}  // namespace pacbench::trainer
