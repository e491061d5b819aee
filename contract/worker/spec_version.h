#pragma once

#include <fmt/format.h>

#include "base/json/checked_keys.h"

namespace pacbench {

/// Reads a document that a worker or pacbench-simulate gets on its standard input. `read` makes a
/// Spec of the document, and may throw nlohmann::json::exception. Throws ConfigError when the
/// document is no Spec, or has another version than Spec::kVersion.
template <typename Spec, typename Read>
Spec spec_of_version(const Json& document, const Read& read) {
  constexpr const char* kSource = "specification on standard input";
  try {
    if (const auto& version = document.at("version"); version != Spec::kVersion) {
      throw ConfigError{
          kSource,
          {{"/version",
            fmt::format(
                "found {}, expected {}: pacbench and this program must be of the same build",
                version.dump(), Spec::kVersion)}}};
    }
    return read(document);
  } catch (const Json::exception& error) {
    throw ConfigError{kSource, {{"", error.what()}}};
  }
}

}  // namespace pacbench
