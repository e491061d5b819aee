#pragma once

#include <string>

#include "base/json_reader.h"

namespace pacbench {

/// Scenario names, link names and labels become parts of folder names.
void require_folder_name(ObjectReader& reader, const std::string& key, const std::string& name);

/// The same as a regular expression for schemas.
inline constexpr const char* kFolderName = "^[^./,][^/,]*$";

}  // namespace pacbench
