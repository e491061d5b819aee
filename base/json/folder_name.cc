#include "base/json/folder_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace pacbench {
namespace {

constexpr std::size_t kMostBytes = 120;

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 || code == 0x7f;
}

bool names_folder(const std::string& name) {
  return name.size() <= kMostBytes && name.find_first_of("/,") == std::string::npos &&
         std::string{".=+-@"}.find(name.front()) == std::string::npos &&
         std::none_of(name.begin(), name.end(), is_control);
}

}  // namespace

void require_folder_name(ObjectReader& reader, const std::string& key, const std::string& name) {
  if (name.empty() || names_folder(name)) return;
  reader.complain(
      key, fmt::format("{} becomes part of a folder's name: expected at most {} bytes, no "
                       "'/' or ',', no control character, and none of . = + - @ at its "
                       "start",
                       Json(name).dump(-1, ' ', true, Json::error_handler_t::replace), kMostBytes));
}

}  // namespace pacbench
