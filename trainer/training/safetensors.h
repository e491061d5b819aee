#pragma once

#include <string_view>

#include "trainer/training/tensor_file.h"

namespace pacbench::trainer {

/// Whether a file begins as safetensors do: the length of a JSON object, and the object.
bool looks_like_safetensors(std::string_view bytes);

/// The tensors of a file in the format of huggingface/safetensors: eight bytes with the length of
/// a JSON object that says of each tensor its type, shape and place, then the tensors. Throws
/// std::runtime_error with what is wrong when places, shapes and the file's length disagree.
TensorMap parse_safetensors(std::string_view bytes);

}  // namespace pacbench::trainer
