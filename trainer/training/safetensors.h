#pragma once

#include <string_view>

#include "trainer/training/tensor_file.h"

namespace pacbench::trainer {

/// Whether the ninth byte opens a JSON object, as in a file of safetensors.
bool looks_like_safetensors(std::string_view bytes);

/// The tensors of a file in the format of huggingface/safetensors: eight bytes with the length of a
/// JSON object, the object, and the tensors. The object has each tensor's type, shape and place.
/// Throws std::exception, saying what is wrong, when the object is not valid, a type is unknown,
/// tensors overlap, or places, shapes and the file's length disagree. Call it for bytes that
/// looks_like_safetensors() accepts.
TensorMap parse_safetensors(std::string_view bytes);

}  // namespace pacbench::trainer
