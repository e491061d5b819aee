#pragma once

#include <string>

#include "base/json/json_reader.h"

namespace pacbench {

/// Complains of a name that cannot be part of a folder's name; an empty one passes. Scenario names,
/// link names and labels become parts of folder names. They are also written to terminals and to
/// tables for spreadsheets, where a text that begins with =, +, - or @ is a formula.
void require_folder_name(ObjectReader& reader, const std::string& key, const std::string& name);

/// The rule of require_folder_name() as a regular expression for schemas, with two differences: the
/// expression counts characters instead of bytes, and does not match an empty name.
inline constexpr const char* kFolderName =
    "^[^./,=+@\\u0000-\\u001f\\u007f-][^/,\\u0000-\\u001f\\u007f]{0,119}$";

}  // namespace pacbench
