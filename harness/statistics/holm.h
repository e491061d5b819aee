#pragma once

#include <vector>

namespace pacbench::statistics {

/// Adjusts the p values of several tests (Holm, Scandinavian Journal of Statistics 1979); the order
/// stays. When each adjusted p is compared with a level, the chance of even one false alarm is at
/// most that level. Throws std::invalid_argument when a p value is outside [0, 1].
std::vector<double> holm(const std::vector<double>& p);

}  // namespace pacbench::statistics
