#include "trainer/training/tensor_file.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "base/files.h"
#include "base/json_reader.h"

namespace pacbench {

void save_tensors(const TensorMap& tensors, const std::string& path) {
  c10::Dict<std::string, at::Tensor> dictionary;
  for (const auto& [name, tensor] : tensors) {
    // A tensor that shares its storage would drag the whole of it into the file.
    dictionary.insert(name, tensor.detach().cpu().contiguous().clone());
  }
  const auto bytes = torch::pickle_save(dictionary);
  write_file_atomically(path, {bytes.data(), bytes.size()});
}

TensorMap load_tensors(const std::string& path, const std::string& advice) {
  const auto text = read_file(path);
  try {
    const auto value = torch::pickle_load({text.begin(), text.end()});
    TensorMap tensors;
    for (const auto& entry : value.toGenericDict()) {
      tensors[entry.key().toStringRef()] = entry.value().toTensor();
    }
    return tensors;
  } catch (const c10::Error& error) {
    throw ConfigError{path,
                      {{"", fmt::format("not a file of tensors ({}): {}",
                                        error.what_without_backtrace(), advice)}}};
  }
}

}  // namespace pacbench
