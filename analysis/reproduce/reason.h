#pragma once

#include <string>
#include <vector>

namespace pacbench::reproduce {

/// One reason why our number differs from the paper's, or why a measurement decides nothing.
/// `words` says it with our numbers.
struct Reason {
  std::string kind;
  std::string words;
};

/// The words of all reasons, joined by "; "; empty without reasons.
std::string words_of(const std::vector<Reason>& reasons);

}  // namespace pacbench::reproduce
