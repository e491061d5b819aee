#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// Adjusts the p values of several tests (Holm, Scandinavian Journal of Statistics 1979); the order
/// stays. When each adjusted p is compared with a level, the chance of even one false alarm is at
/// most that level. Throws std::invalid_argument when a p value is outside [0, 1].
std::vector<double> holm(const std::vector<double>& p);

/// How many times as large `next` is as `base`.
struct Ratio {
  double value = 1;  ///< 0 or infinite where censored values, or times of 0, decide it
  double low = 1;    ///< of the interval
  double high = 1;
};

/// The median of log(next) - log(base), as a ratio (Hodges and Lehmann 1963), over the pairs of all
/// strata; only values of one stratum form pairs. Its 95 % interval is the percentile bootstrap
/// interval (Efron and Tibshirani 1993, 13.3), for which both sides of each stratum are drawn
/// again. The numbers are the same on every machine. Values are times, at least 0, or infinite
/// where censored; two equal values, also two infinite ones, have a ratio of 1. Throws
/// std::invalid_argument when there is no stratum, a side of one is empty, or a value is negative
/// or not a number.
Ratio hodges_lehmann(const Strata& strata);

/// The change that a comparison has to find: one by `ratio` at the level `alpha` (two-sided), in at
/// least `power` of all comparisons.
struct Demand {
  double ratio = 1.05;
  double alpha = 0.01;
  double power = 0.8;
};

/// The log distances of all values from the median of their side in their stratum. The factor
/// √(N / (N − S)), for N values on S sides, corrects for medians taken from the values themselves.
/// Values that are not finite or not positive are left out, and then sides with fewer than two
/// values. Empty when no side is left.
std::vector<double> log_residuals(const Strata& strata);

/// The share of comparisons of `n` values a side that would find the change. A thousand times, two
/// sides are drawn from `residuals`, one is shifted, and the Mann-Whitney test compares them. The
/// draws are the same on every machine. Throws std::invalid_argument when there are no residuals.
double share_found(const std::vector<double>& residuals, std::size_t n, const Demand& demand);

/// The fewest values a side with which share_found() reaches `demand.power`; nothing when `most`
/// are too few. The number may be off by one or two: U is a whole number, so the share does not
/// grow evenly.
std::optional<std::size_t> runs_needed(const std::vector<double>& residuals, const Demand& demand,
                                       std::size_t most = 200);

/// The fewest values a side for which any two-sided p can get to `alpha` at all.
std::size_t fewest_runs(double alpha);

/// A time that lies between two ends, since nobody looked in between. 0 < from_s <= until_s.
struct Between {
  double from_s = 0;
  double until_s = 0;
};

/// How many times as long `base` took as `own`, over pairs of measurements.
struct PairedRatio {
  double value = 1;  ///< geometric mean of the ratios of the later ends
  double low = 1;    ///< of its 95 % interval, widened by where in between the times may lie
  double high = 1;
};

/// Computes logarithms of the pairs' ratios and, by Student's t, exp(mean ± t · deviation / √n).
/// The lower end has the mean and the deviation of the least ratios that the times' ends allow, the
/// upper end those of the largest. Absent with fewer than three pairs. Throws
/// std::invalid_argument when the lists differ in length, or a time is not positive.
std::optional<PairedRatio> paired_ratio(const std::vector<Between>& base,
                                        const std::vector<Between>& own);

}  // namespace pacbench::statistics
