#pragma once

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

#include "base/files.h"
#include "base/json/json_reader.h"

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

/// The `main` of a program whose argument is a file in JSON, which `run` takes.
inline int run_on_json(int argc, char** argv, void (*run)(const Json&)) {
  try {
    if (argc != 2) throw std::invalid_argument{"expected one argument: a file in JSON"};
    run(read_json_file(argv[1]));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace pacbench::trainer::test
