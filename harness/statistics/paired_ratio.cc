#include "harness/statistics/paired_ratio.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace pacbench::statistics {
namespace {

constexpr std::size_t kLeastPairs = 3;

struct MeanWithin {
  double mean = 0;
  double half_width = 0;  ///< of the 95 % interval
};

MeanWithin mean_within(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const boost::math::students_t distribution{n - 1};
  const double t = boost::math::quantile(distribution, 0.975);
  return {mean, t * std::sqrt(squares / (n - 1) / n)};
}

}  // namespace

std::optional<PairedRatio> paired_ratio(const std::vector<Between>& base,
                                        const std::vector<Between>& own) {
  if (base.size() != own.size())
    throw std::invalid_argument{"pairs of two lists of different lengths"};
  if (base.size() < kLeastPairs) return std::nullopt;
  std::vector<double> least, middle, most;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (base[i].from_s <= 0 || own[i].from_s <= 0) {
      throw std::invalid_argument{"a ratio of times that are not positive"};
    }
    least.push_back(std::log(base[i].from_s / own[i].until_s));
    middle.push_back(std::log(base[i].until_s / own[i].until_s));
    most.push_back(std::log(base[i].until_s / own[i].from_s));
  }
  const auto low = mean_within(least);
  const auto high = mean_within(most);
  return PairedRatio{std::exp(mean_within(middle).mean), std::exp(low.mean - low.half_width),
                     std::exp(high.mean + high.half_width)};
}

}  // namespace pacbench::statistics
