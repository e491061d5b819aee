#pragma once

#include <string>
#include <vector>

namespace pacbench::reproduce {

/// Why something is so: a rule of docs/STATISTICS.md that holds, and its sentence with our numbers.
struct Reason {
  std::string kind;
  std::string words;
};

/// Their sentences, one behind the other; empty for none.
std::string words_of(const std::vector<Reason>& reasons);

}  // namespace pacbench::reproduce
