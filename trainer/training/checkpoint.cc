#include "trainer/training/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "base/json/json_reader.h"
#include "trainer/training/tensor_file.h"

namespace pacbench::trainer {
namespace {

TensorMap tensors_of(const Model& model) {
  TensorMap tensors;
  for (const auto& item : model.named_parameters()) tensors[item.key()] = item.value();
  for (const auto& item : model.named_buffers()) tensors[item.key()] = item.value();
  return tensors;
}

std::string describe(const at::Tensor& tensor) {
  return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()),
                     fmt::join(tensor.sizes(), ", "));
}

bool fits(const at::Tensor& found, const at::Tensor& expected) {
  const bool same_kind = found.scalar_type() == expected.scalar_type() ||
                         (found.is_floating_point() && expected.is_floating_point());
  return same_kind && found.sizes() == expected.sizes();
}

std::vector<Issue> differences(const TensorMap& found, const TensorMap& expected) {
  std::vector<Issue> issues;
  for (const auto& [name, tensor] : expected) {
    const auto at = found.find(name);
    if (at == found.end()) {
      issues.push_back({name, fmt::format("missing, expected {}", describe(tensor))});
    } else if (!fits(at->second, tensor)) {
      issues.push_back(
          {name, fmt::format("found {}, expected {}", describe(at->second), describe(tensor))});
    }
  }
  for (const auto& [name, tensor] : found) {
    if (!expected.contains(name)) {
      issues.push_back({name, fmt::format("found {}, but the model has no tensor of this name",
                                          describe(tensor))});
    }
  }
  return issues;
}

}  // namespace

void save_checkpoint(const Model& model, const std::string& path) {
  save_tensors(tensors_of(model), path);
}

void load_checkpoint(Model& model, const std::string& path, const std::string& advice,
                     const std::string& sha256) {
  const auto found = load_tensors(path, advice, sha256);
  auto expected = tensors_of(model);
  const auto issues = differences(found, expected);
  if (!issues.empty()) throw ConfigError{path, issues};
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : expected) tensor.copy_(found.at(name));
}

}  // namespace pacbench::trainer
