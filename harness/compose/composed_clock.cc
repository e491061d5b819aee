#include "harness/compose/composed_clock.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "harness/statistics/random.h"
#include "spec/compose.h"

namespace pacbench::compose {
namespace {

constexpr std::size_t kResamples = 2000;
constexpr std::size_t kTail = kResamples / 40;  ///< 2.5 % at either end

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> redrawn_means(const std::vector<double>& values, statistics::Random& random) {
  std::vector<double> means;
  for (std::size_t i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) sum += values[random.below(values.size())];
    means.push_back(sum / static_cast<double>(values.size()));
  }
  return means;
}

}  // namespace

ComposedClock::ComposedClock(const std::vector<cell::CellRecord::Step>& measured,
                             const std::vector<cell::AlikeIterations>& training)
    : training_{training} {
  if (std::ssize(measured) < kLeastComposed || training.empty()) {
    throw std::invalid_argument{"a composed clock needs 4 iterations, and a training"};
  }
  first_s_ = measured.front().clock_s;
  for (std::size_t i = 1; i < measured.size(); ++i) {
    auto& alike = alike_[measured[i].expected_sent_bytes];
    alike.lengths_s.push_back(measured[i].clock_s - measured[i - 1].clock_s);
    alike.wire_s += measured[i].wire_s;
  }
  statistics::Random random{1};
  for (auto& [sent_bytes, alike] : alike_) {
    alike.mean_s = mean(alike.lengths_s);
    alike.redrawn_s = redrawn_means(alike.lengths_s, random);
    if (sent_bytes == 0) continue;
    alike.s_per_byte = alike.wire_s / static_cast<double>(alike.lengths_s.size()) /
                       static_cast<double>(sent_bytes);
  }
}

std::int64_t ComposedClock::nearest(std::int64_t sent_bytes) const {
  const auto farther = [sent_bytes](const auto& a, const auto& b) {
    return std::abs(a.first - sent_bytes) < std::abs(b.first - sent_bytes);
  };
  return std::min_element(alike_.begin(), alike_.end(), farther)->first;
}

void ComposedClock::add(std::int64_t iterations, std::int64_t sent_bytes, Sum& sum) const {
  const auto known = nearest(sent_bytes);
  const auto times = static_cast<double>(iterations);
  sum.iterations[known] += times;
  sum.fixed_s += times * static_cast<double>(sent_bytes - known) * alike_.at(known).s_per_byte;
}

ComposedClock::Sum ComposedClock::sum_until(std::int64_t iteration) const {
  Sum sum;
  if (iteration < 1) return sum;
  sum.fixed_s = first_s_;
  std::int64_t done = 0;  // of the training; its first is `first_s_`
  for (const auto& [iterations, sent_bytes] : training_) {
    const auto until = std::min(done + iterations, iteration);
    const auto from = std::max<std::int64_t>(done, 1);
    if (until > from) add(until - from, sent_bytes, sum);
    done += iterations;
  }
  done = std::max<std::int64_t>(done, 1);
  if (iteration > done) add(iteration - done, training_.back().sent_bytes, sum);
  return sum;
}

double ComposedClock::at(std::int64_t iteration) const {
  const auto sum = sum_until(iteration);
  double clock_s = sum.fixed_s;
  for (const auto& [sent_bytes, iterations] : sum.iterations) {
    clock_s += iterations * alike_.at(sent_bytes).mean_s;
  }
  return clock_s;
}

ComposedClock::Interval ComposedClock::interval(std::int64_t iteration) const {
  const auto sum = sum_until(iteration);
  std::vector<double> clocks_s(kResamples, sum.fixed_s);
  for (const auto& [sent_bytes, iterations] : sum.iterations) {
    const auto& redrawn_s = alike_.at(sent_bytes).redrawn_s;
    for (std::size_t i = 0; i < kResamples; ++i) clocks_s[i] += iterations * redrawn_s[i];
  }
  std::sort(clocks_s.begin(), clocks_s.end());
  return {clocks_s[kTail], clocks_s[kResamples - 1 - kTail]};
}

ComposedClock composed_clock(const cell::CellRecord& record) {
  return {record.steps(), record.training()};
}

}  // namespace pacbench::compose
