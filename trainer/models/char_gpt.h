#pragma once

#include <memory>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// The catalogue's entry of `char-gpt`.
ModelInfo char_gpt_info();

/// A decoder of transformer blocks (Radford et al. 2018) that predicts, for each character, the one
/// that follows, without looking ahead. Options `layers` and `width` give its size, 4.8 million
/// parameters by default; a head of attention is 64 wide. There is no dropout.
std::shared_ptr<Model> make_char_gpt(const Choice& choice, const DatasetInfo& dataset);

}  // namespace pacbench::trainer
