#include "harness/statistics/holm.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace pacbench::statistics {

std::vector<double> holm(const std::vector<double>& p) {
  for (const auto value : p) {
    if (!(value >= 0 && value <= 1)) throw std::invalid_argument{"a p value outside [0, 1]"};
  }
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t one, std::size_t other) { return p[one] < p[other]; });
  std::vector<double> adjusted(p.size());
  double so_far = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto factor = static_cast<double>(p.size() - i);
    so_far = std::max(so_far, std::min(1.0, factor * p[order[i]]));
    adjusted[order[i]] = so_far;
  }
  return adjusted;
}

}  // namespace pacbench::statistics
