#pragma once

#include <string>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// Writes all parameters and buffers by name, in one step: the old file or the new one, never a
/// part. The file is a pickled dictionary of tensors that Python's torch.load reads too.
/// Throws std::system_error naming the path.
void save_checkpoint(const Model& model, const std::string& path);

/// Sets all parameters and buffers from a file (load_tensors says in which formats). Converts
/// floating-point numbers of another precision. Throws ConfigError in three cases:
/// - Tensors are missing, of another shape or type, or unknown to the model. The error names each.
/// - The file has another SHA-256 than `sha256`, where one is given.
/// - The file is not a file of tensors. This message ends with `advice`.
/// Throws std::system_error when the file cannot be read. The model is unchanged after an error.
void load_checkpoint(Model& model, const std::string& path,
                     const std::string& advice = "delete the file; it will be made again",
                     const std::string& sha256 = "");

}  // namespace pacbench::trainer
