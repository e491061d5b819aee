#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace pacbench::statistics {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, figure 14). The distributions of the standard
/// library are each implementation's own; what is drawn here is the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}

  std::uint64_t next() {
    auto bits = (state_ += 0x9E3779B97F4A7C15);
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  }

  /// A number in [0, bound), `bound` from 1 to 2^32; off from uniform by less than bound / 2^32.
  std::size_t below(std::size_t bound) { return ((next() >> 32) * bound) >> 32; }

 private:
  std::uint64_t state_;
};

/// Ends of an interval that are both known.
struct KnownEnds {
  double low = 0;
  double high = 0;
};

/// The number of neighbours that are drawn together from a series of n values, so that the
/// dependence between neighbours is kept. It is the automatic choice for the circular block
/// bootstrap (Politis and White 2004, Econometric Reviews 23:53; corrected by Patton, Politis and
/// White 2009, ibid. 28:372). It is at least n^(1/3), since a short series does not show how its
/// values depend on each other. Even so it is at most a third of the series and at most 3 √n, and
/// at least 1.
std::size_t block_length(const std::vector<double>& series);

/// Draws a series kDraws times in blocks of neighbours (Künsch 1989, Annals of Statistics 17:1217)
/// and computes a statistic of each draw. The series is closed to a ring, so that the first value
/// follows the last (Politis and Romano 1992). The draws follow from the series and `random`, and
/// are the same on every machine.
class BlockBootstrap {
 public:
  static constexpr std::size_t kDraws = 1000;

  /// `statistic` may reorder what it is given. Throws std::invalid_argument when there is no value.
  BlockBootstrap(const std::vector<double>& series,
                 const std::function<double(std::vector<double>&)>& statistic, Random& random);

  const std::vector<double>& values() const { return values_; }  ///< in the order of the draws
  double blocks() const { return blocks_; }                      ///< series length / block length

 private:
  std::vector<double> values_;
  double blocks_ = 1;
};

/// The middle 95 % of values that were drawn from a series of `blocks` blocks. With few blocks the
/// interval is wider, as much as Student's t is wider than the normal distribution (Hesterberg
/// 2015, The American Statistician 69:371, "expanded percentile interval").
KnownEnds middle_95(std::vector<double> values, double blocks);

/// 95 % interval of a series' median. Nothing with fewer than 6 values.
std::optional<KnownEnds> median_of_series(const std::vector<double>& series);

}  // namespace pacbench::statistics
