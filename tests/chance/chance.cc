#include "tests/chance/chance.h"

#include <cmath>

namespace pacbench {

EventBounds binomial_bounds(std::int64_t trials, double probability, double false_alarm) {
  const auto n = static_cast<double>(trials);
  const auto log_mass = [&](std::int64_t events) {
    const auto k = static_cast<double>(events);
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
           k * std::log(probability) + (n - k) * std::log1p(-probability);
  };
  const double tail = false_alarm / 2;
  EventBounds bounds{0, trials};
  for (double below = 0; (below += std::exp(log_mass(bounds.least))) <= tail;) ++bounds.least;
  for (double above = 0; (above += std::exp(log_mass(bounds.most))) <= tail;) --bounds.most;
  return bounds;
}

testing::AssertionResult is_by_chance(std::int64_t events, std::int64_t trials,
                                      double probability) {
  const auto bounds = binomial_bounds(trials, probability);
  if (bounds.contain(events)) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "found " << events << " events in " << trials << " trials, expected " << bounds.least
         << " to " << bounds.most << " with a probability of " << probability
         << "; outside of that by chance once in " << 1 / kFalseAlarm << " checks";
}

}  // namespace pacbench
