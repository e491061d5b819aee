#pragma once

#include <cstdint>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// Sets every parameter as a pure function of `seed` and its place in the model, on any machine
/// with any number of threads: convolutions normal with variance 2 / fan-out (He et al. 2015),
/// linear weights and biases uniform within 1 / sqrt(fan-in) as torch does by default, norms' scale
/// 1, and what is left (embeddings, class tokens, projections into attention) normal with deviation
/// 0.02 (Radford et al. 2018). Biases of convolutions and attention and norms' shifts are 0.
void initialise_weights(Model& model, std::int64_t seed);

}  // namespace pacbench::trainer
