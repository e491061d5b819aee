#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::store {

/// A value of a document, and the type that it must have.
struct Typed {
  std::string pointer;
  bool (Json::*is)() const noexcept;
  const char* words;  ///< "a string"
};

/// Throws ConfigError with each value of `document` that is not there or of another type; `prefix`
/// is the place of the document in the file `path`.
void require_types(const std::string& path, const std::string& prefix, const Json& document,
                   const std::vector<Typed>& values);

}  // namespace pacbench::store
