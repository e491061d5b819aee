#include "base/folder_name.h"

#include <fmt/format.h>

namespace pacbench {

void require_folder_name(ObjectReader& reader, const std::string& key, const std::string& name) {
  if (name.find_first_of("/,") == std::string::npos && !name.starts_with('.')) return;
  reader.complain(key, fmt::format("\"{}\" becomes part of a folder's name: no '/' or ',', and no "
                                   "'.' at its start",
                                   name));
}

}  // namespace pacbench
