#pragma once

#include <string>

#include "base/json_reader.h"

namespace pacbench {

/// A thing from the catalogue and its options, every default filled in.
struct Choice {
  std::string name;
  Json options = Json::object();
};

}  // namespace pacbench
