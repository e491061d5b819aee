#pragma once

#include <string>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// Writes all parameters and buffers by name, in one step: the old file or the new one, never a
/// part. The file is a pickled dictionary of tensors that Python's torch.load reads too.
/// Throws std::system_error naming the path.
void save_checkpoint(const Model& model, const std::string& path);

/// Sets all parameters and buffers from a file, see load_tensors; floating-point numbers of another
/// precision are converted. Throws ConfigError that names every tensor that is missing, of another
/// shape or type, or unknown to the model, which is then unchanged. Throws it too when the file has
/// another SHA-256 than the given one, or, ending with `advice`, holds no tensors. Throws
/// std::system_error when it cannot be read.
void load_checkpoint(Model& model, const std::string& path,
                     const std::string& advice = "delete it, it is made anew",
                     const std::string& sha256 = "");

}  // namespace pacbench::trainer
