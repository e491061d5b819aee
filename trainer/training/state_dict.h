#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>

namespace pacbench::trainer {

/// The tensors of a state_dict in a zip archive, as torch.save (1.6 and later) or
/// torch::pickle_save write it. Runs nothing of the file: a pickle that calls another function than
/// those that put tensors together is refused. A file that needs more memory than a few times its
/// size is refused too. Throws std::exception saying what is wrong with the file.
std::map<std::string, at::Tensor> read_state_dict(std::string_view bytes);

}  // namespace pacbench::trainer
