#include "harness/compose/composed_clock.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "harness/statistics/random.h"

namespace pacbench {
namespace {

constexpr std::size_t kLeast = 4;
constexpr std::size_t kResamples = 2000;
constexpr std::size_t kTail = kResamples / 40;  ///< 2.5 % at either end

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> resampled_means(const std::vector<double>& values) {
  Random random{1};
  std::vector<double> means;
  for (std::size_t i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) sum += values[random.below(values.size())];
    means.push_back(sum / static_cast<double>(values.size()));
  }
  std::sort(means.begin(), means.end());
  return means;
}

}  // namespace

ComposedClock::ComposedClock(const std::vector<double>& clock_s) {
  if (clock_s.size() < kLeast) {
    throw std::invalid_argument{"a composed clock needs at least 4 iterations"};
  }
  const auto half = clock_s.size() / 2;
  first_half_s_.push_back(0);
  first_half_s_.insert(first_half_s_.end(), clock_s.begin(),
                       clock_s.begin() + static_cast<std::ptrdiff_t>(half));
  for (auto i = half; i < clock_s.size(); ++i) {
    settled_s_.push_back(clock_s[i] - clock_s[i - 1]);
  }
  mean_s_ = mean(settled_s_);
  means_s_ = resampled_means(settled_s_);
}

double ComposedClock::at(std::int64_t iteration) const {
  const auto measured = std::ssize(first_half_s_) - 1;
  if (iteration <= measured) return first_half_s_[static_cast<std::size_t>(iteration)];
  return first_half_s_.back() + static_cast<double>(iteration - measured) * mean_s_;
}

ComposedClock composed_clock(const CellRecord& record) {
  std::vector<double> clock_s;
  for (const auto& step : record.steps()) clock_s.push_back(step.clock_s);
  return ComposedClock{clock_s};
}

ComposedClock::Interval ComposedClock::interval(std::int64_t iteration) const {
  const auto measured = std::ssize(first_half_s_) - 1;
  const auto composed = static_cast<double>(std::max<std::int64_t>(iteration - measured, 0));
  const double before_s = iteration <= measured ? at(iteration) : first_half_s_.back();
  return {before_s + composed * means_s_[kTail],
          before_s + composed * means_s_[means_s_.size() - 1 - kTail]};
}

}  // namespace pacbench
