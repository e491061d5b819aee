#pragma once

#include <vector>

namespace pacbench::statistics {

/// p values of several tests, adjusted so that the chance of even one false alarm among them is at
/// most what is asked of each; in the order given (Holm, Scandinavian Journal of Statistics 1979).
/// Throws std::invalid_argument when one is outside [0, 1].
std::vector<double> holm(const std::vector<double>& p);

}  // namespace pacbench::statistics
