#pragma once

#include <string>

#include "base/json/json_reader.h"

namespace pacbench {

/// A method, model or data set of the catalogue, and its options with every default filled in.
struct Choice {
  std::string name;
  Json options = Json::object();
};

}  // namespace pacbench
