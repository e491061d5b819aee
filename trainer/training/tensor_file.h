#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

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

}  // namespace pacbench::trainer
