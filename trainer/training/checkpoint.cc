#include "trainer/training/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <map>

#include "base/files.h"

namespace pacbench {
namespace {

using TensorMap = std::map<std::string, at::Tensor>;

TensorMap tensors_of(const Model& model) {
  TensorMap tensors;
  for (const auto& item : model.named_parameters()) tensors[item.key()] = item.value();
  for (const auto& item : model.named_buffers()) tensors[item.key()] = item.value();
  return tensors;
}

TensorMap read_tensors(const std::string& path) {
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
                      {{"", fmt::format("not a checkpoint ({}): delete it, it is made anew",
                                        error.what_without_backtrace())}}};
  }
}

std::string describe(const at::Tensor& tensor) {
  return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()),
                     fmt::join(tensor.sizes(), ", "));
}

std::vector<Issue> differences(const TensorMap& found, const TensorMap& expected) {
  std::vector<Issue> issues;
  for (const auto& [name, tensor] : expected) {
    const auto at = found.find(name);
    if (at == found.end()) {
      issues.push_back({name, fmt::format("missing, expected {}", describe(tensor))});
    } else if (describe(at->second) != describe(tensor)) {
      issues.push_back(
          {name, fmt::format("found {}, expected {}", describe(at->second), describe(tensor))});
    }
  }
  for (const auto& [name, tensor] : found) {
    if (!expected.contains(name)) {
      issues.push_back({name, fmt::format("found {}, but the model has none", describe(tensor))});
    }
  }
  return issues;
}

}  // namespace

void save_checkpoint(const Model& model, const std::string& path) {
  c10::Dict<std::string, at::Tensor> dictionary;
  for (const auto& [name, tensor] : tensors_of(model)) {
    // A tensor that shares its storage would drag the whole of it into the file.
    dictionary.insert(name, tensor.detach().cpu().contiguous().clone());
  }
  const auto bytes = torch::pickle_save(dictionary);
  write_file_atomically(path, {bytes.data(), bytes.size()});
}

void load_checkpoint(Model& model, const std::string& path) {
  const auto found = read_tensors(path);
  auto expected = tensors_of(model);
  const auto issues = differences(found, expected);
  if (!issues.empty()) throw ConfigError{path, issues};
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : expected) tensor.copy_(found.at(name));
}

}  // namespace pacbench
