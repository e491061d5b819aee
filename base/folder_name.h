#pragma once

#include <string>

#include "base/json_reader.h"

namespace pacbench {

/// Scenario names, link names and labels become parts of folder names, are written to terminals,
/// and stand in tables that spreadsheets read, where a text that begins with =, +, - or @ is a
/// formula.
void require_folder_name(ObjectReader& reader, const std::string& key, const std::string& name);

/// The same as a regular expression for schemas.
inline constexpr const char* kFolderName =
    "^[^./,=+@\\u0000-\\u001f\\u007f-][^/,\\u0000-\\u001f\\u007f]{0,119}$";

}  // namespace pacbench
