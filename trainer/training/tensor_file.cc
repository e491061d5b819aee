#include "trainer/training/tensor_file.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "base/files.h"
#include "base/json/json_reader.h"
#include "base/sha256.h"
#include "contract/scenario/workload.h"

namespace pacbench::trainer {

void save_tensors(const TensorMap& tensors, const std::string& path) {
  c10::Dict<std::string, at::Tensor> dictionary;
  for (const auto& [name, tensor] : tensors) {
    // A tensor that shares its storage would bring the whole storage into the file.
    dictionary.insert(name, tensor.detach().cpu().contiguous().clone());
  }
  const auto bytes = torch::pickle_save(dictionary);
  write_file_atomically(path, {bytes.data(), bytes.size()});
}

TensorMap load_tensors(const std::string& path, const std::string& advice,
                       const std::string& expected_sha256) {
  const auto bytes = read_ordinary_file(path, Initial::kMostFileBytes);
  if (!expected_sha256.empty()) {
    if (const auto found = sha256(bytes); found != expected_sha256) {
      throw ConfigError{path,
                        {{"", fmt::format("found SHA-256 {}, expected {}: the file was changed "
                                          "after the scenario was read; start the run again",
                                          found, expected_sha256)}}};
    }
  }
  const auto refuse = [&](const std::string& reason) {
    throw ConfigError{path, {{"", fmt::format("not a file of tensors ({}): {}", reason, advice)}}};
  };
  try {
    return looks_like_safetensors(bytes) ? parse_safetensors(bytes) : read_state_dict(bytes);
  } catch (const c10::Error& error) {
    refuse(error.what_without_backtrace());
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  throw std::logic_error{"a file of tensors is read or refused"};
}

}  // namespace pacbench::trainer
