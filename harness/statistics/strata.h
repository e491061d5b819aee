#pragma once

#include <cstdint>
#include <vector>

namespace pacbench::statistics {

/// The values of one seed, measured under equal conditions on the two sides of a comparison. Only
/// values of one stratum are compared with each other.
struct Stratum {
  std::int64_t seed = 0;
  std::vector<double> base;
  std::vector<double> next;
};
using Strata = std::vector<Stratum>;

/// The values of one side of all strata together.
inline std::vector<double> together(const Strata& strata, std::vector<double> Stratum::*side) {
  std::vector<double> all;
  for (const auto& stratum : strata) {
    all.insert(all.end(), (stratum.*side).begin(), (stratum.*side).end());
  }
  return all;
}

}  // namespace pacbench::statistics
