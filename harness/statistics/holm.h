#pragma once

#include <vector>

namespace pacbench::statistics {

/// Adjusts the p values of several tests, in the order given, so that the chance of even one false
/// alarm among the tests is at most the level asked of each (Holm, Scandinavian Journal of
/// Statistics 1979). Throws std::invalid_argument when a p value is outside [0, 1].
std::vector<double> holm(const std::vector<double>& p);

}  // namespace pacbench::statistics
