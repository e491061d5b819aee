#pragma once

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "base/files.h"

namespace pacbench::trainer::test {

/// Reads a file with nothing but `count` numbers of `type`, as this machine has them in memory.
/// Throws std::runtime_error when the file has another size.
inline at::Tensor read_raw(const std::string& path, at::ScalarType type, std::int64_t count) {
  const auto bytes = read_file(path);
  auto values = at::empty({count}, type);
  if (bytes.size() != values.nbytes()) {
    throw std::runtime_error{fmt::format("{}: found {} bytes, expected {} numbers, which are {}",
                                         path, bytes.size(), count, values.nbytes())};
  }
  std::memcpy(values.mutable_data_ptr(), bytes.data(), bytes.size());
  return values;
}

inline void write_raw(const std::string& path, const at::Tensor& values) {
  const auto whole = values.contiguous();
  write_file_atomically(path, {static_cast<const char*>(whole.const_data_ptr()), whole.nbytes()});
}

}  // namespace pacbench::trainer::test
