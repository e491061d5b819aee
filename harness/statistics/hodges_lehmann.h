#pragma once

#include <cstddef>
#include <cstdint>
#include "harness/statistics/strata.h"

namespace pacbench::statistics {

/// How many times as large `next` is as `base`.
struct Ratio {
  double value = 1;  ///< 0 or infinite where censored values, or times of 0, decide it
  double low = 1;    ///< of the interval
  double high = 1;
};

struct Bootstrap {
  double confidence = 0.95;
  std::size_t resamples = 2000;
  std::uint64_t seed = 1;
};

/// The median of log(next) - log(base), as a ratio (Hodges and Lehmann 1963), over the pairs of all
/// strata; only values of one stratum form pairs. Its interval is the percentile bootstrap interval
/// (Efron and Tibshirani 1993, 13.3), for which both sides of each stratum are drawn again. The
/// numbers are the same on every machine. Values are times, at least 0, or infinite where censored;
/// two equal values, also two infinite ones, have a ratio of 1. Throws std::invalid_argument when
/// there is no stratum, a side of one is empty, or a value is negative or not a number.
Ratio hodges_lehmann(const Strata& strata, const Bootstrap& bootstrap = {});

}  // namespace pacbench::statistics
