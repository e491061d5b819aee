#pragma once

#include <string>
#include <vector>

namespace pacbench::reproduce {

/// A reason: a rule of docs/STATISTICS.md that holds, and its sentence with our numbers.
struct Reason {
  std::string kind;
  std::string words;
};

/// The sentences of reasons, one after the other; empty for none.
std::string words_of(const std::vector<Reason>& reasons);

}  // namespace pacbench::reproduce
