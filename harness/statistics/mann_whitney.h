#pragma once

#include <cstddef>
#include "harness/statistics/strata.h"

namespace pacbench::statistics {

/// Whether the values of one side tend to be larger than those of the other (Mann and Whitney
/// 1947). Over strata, their U are summed (van Elteren 1960, all pairs weighing the same). A p is
/// the probability of such a sum, or one farther out, when within each stratum every assignment of
/// the values to the sides is equally likely.
struct MannWhitney {
  double u = 0;            ///< pairs in which the value of `next` is the larger one; a tie is half
  double p_greater = 1;    ///< one-sided, for `next` being larger
  double p_less = 1;       ///< one-sided, for `next` being smaller
  double p_two_sided = 1;  ///< twice the smaller of these, at most 1
  bool exact = true;       ///< by counting; otherwise by the normal distribution
};

/// Computes an exact p, with ties, by counting the assignments of each sum of mid-ranks (dynamic
/// programming over doubled ranks, which are integers), and convolving the counts of the strata.
/// Where that takes too many steps (beyond some 59 values on each side with one stratum, 45 with
/// three), it uses the normal distribution, corrected for ties and continuity. Values may be
/// infinite: censored ones rank last, tied with each other. Throws std::invalid_argument when there
/// is no stratum, a side of one is empty, or a value is not a number.
MannWhitney mann_whitney(const Strata& strata);

/// The smallest two-sided p that sides of these sizes can show: 2 over the number of assignments.
double smallest_p(std::size_t base, std::size_t next);

/// The smallest U with which two sides of `n` values, without ties, have a two-sided p of at most
/// `alpha`; above n × n when there is none. For `n` beyond 30 it uses the normal distribution,
/// since many n are asked for in turn.
double critical_u(std::size_t n, double alpha);

}  // namespace pacbench::statistics
