#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/json/json_reader.h"
#include "trainer/training/tensor_file.h"

namespace pacbench::trainer {
namespace {

constexpr std::size_t kLengthBytes = 8;
// The limit of the format's own reader.
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;

constexpr std::array<std::pair<const char*, at::ScalarType>, 10> kTypes{{{"F64", at::kDouble},
                                                                         {"F32", at::kFloat},
                                                                         {"F16", at::kHalf},
                                                                         {"BF16", at::kBFloat16},
                                                                         {"I64", at::kLong},
                                                                         {"I32", at::kInt},
                                                                         {"I16", at::kShort},
                                                                         {"I8", at::kChar},
                                                                         {"U8", at::kByte},
                                                                         {"BOOL", at::kBool}}};

at::ScalarType type_of(const std::string& name, const std::string& word) {
  for (const auto& [each, type] : kTypes) {
    if (word == each) return type;
  }
  throw std::runtime_error{fmt::format("tensor {} is of the unknown type \"{}\"", name, word)};
}

at::Tensor read_tensor(const std::string& name, const Json& entry, std::string_view data) {
  const auto type = type_of(name, entry.at("dtype"));
  const auto shape = entry.at("shape").get<std::vector<std::int64_t>>();
  const auto first = entry.at("data_offsets").at(0).get<std::uint64_t>();
  const auto last = entry.at("data_offsets").at(1).get<std::uint64_t>();
  const auto expected = tensor_bytes(shape, c10::elementSize(type));
  if (first > last || last > data.size() || last - first != expected) {
    throw std::runtime_error{
        fmt::format("tensor {} of shape {} lies at bytes {} to {} of {}, but needs {} bytes", name,
                    shape, first, last, data.size(), expected)};
  }
  auto tensor = at::empty(shape, type);
  if (expected > 0) std::memcpy(tensor.data_ptr(), data.data() + first, expected);
  return tensor;
}

}  // namespace

bool looks_like_safetensors(std::string_view bytes) {
  return bytes.size() > kLengthBytes && bytes[kLengthBytes] == '{';
}

TensorMap parse_safetensors(std::string_view bytes) {
  std::uint64_t length = 0;  // its bytes are in the order of this machine, the lowest first
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > bytes.size() - kLengthBytes) {
    throw std::runtime_error{fmt::format("its header is said to have {} bytes, but the file has {}",
                                         length, bytes.size())};
  }
  if (length > kMostHeaderBytes) {
    throw std::runtime_error{fmt::format("its header is said to have {} bytes, expected at most {}",
                                         length, kMostHeaderBytes)};
  }
  const auto header = parse_json("its header", bytes.substr(kLengthBytes, length));
  const auto data = bytes.substr(kLengthBytes + length);
  std::size_t data_bytes = 0;
  TensorMap tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto& tensor = tensors[name] = read_tensor(name, entry, data);
    data_bytes += tensor.nbytes();
    // Tensors must not overlap, so together they have no more bytes than the data.
    if (data_bytes > data.size()) {
      throw std::runtime_error{fmt::format("two of its tensors up to {} overlap", name)};
    }
  }
  return tensors;
}

}  // namespace pacbench::trainer
