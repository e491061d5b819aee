#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pacbench::trainer {

using TensorMap = std::map<std::string, at::Tensor>;

/// Writes tensors by name, in one step: the old file or the new one, never a part. The file is a
/// pickled dictionary that Python's torch.load reads too. Throws std::system_error naming the path.
void save_tensors(const TensorMap& tensors, const std::string& path);

/// Reads a file of save_tensors, a state_dict as Python's torch.save writes it (zip), or
/// safetensors. Throws std::system_error when the file cannot be read, is not an ordinary file, or
/// has more than Initial::kMostFileBytes. Throws ConfigError when the file has another SHA-256 than
/// `expected_sha256`, where one is given. Throws ConfigError, with a message that ends with
/// `advice`, when the file has none of these formats. Whatever the file claims, reading it uses at
/// most a few times its size in memory.
TensorMap load_tensors(const std::string& path, const std::string& advice,
                       const std::string& expected_sha256 = "");

/// The tensors of a state_dict in a zip archive, as torch.save (1.6 and later) or
/// torch::pickle_save write it. Runs nothing of the file: a pickle that calls another function than
/// those that put tensors together is refused. A file that needs more memory than a few times its
/// size is refused too. Throws std::exception saying what is wrong with the file.
TensorMap read_state_dict(std::string_view bytes);

/// Whether the ninth byte opens a JSON object, as in a file of safetensors.
bool looks_like_safetensors(std::string_view bytes);

/// The tensors of a file in the format of huggingface/safetensors: eight bytes with the length of a
/// JSON object, the object, and the tensors. The object has each tensor's type, shape and place.
/// Throws std::exception, saying what is wrong, when the object is not valid, a type is unknown,
/// tensors overlap, or places, shapes and the file's length disagree. Call it for bytes that
/// looks_like_safetensors() accepts.
TensorMap parse_safetensors(std::string_view bytes);

/// The number of bytes of a tensor. When a length is negative or the number does not fit into 64
/// bits, returns the largest number of 64 bits, which is more than any file has.
inline std::uint64_t tensor_bytes(const std::vector<std::int64_t>& shape,
                                  std::uint64_t element_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const auto length : shape) {
    if (length < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(length), &bytes)) {
      return ~std::uint64_t{0};
    }
  }
  return bytes;
}

}  // namespace pacbench::trainer
