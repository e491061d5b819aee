#include "analysis/report/row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace pacbench::report {
namespace {

/// The TTA of a seed on both sides; infinite where the seed never reached the target.
struct Pair {
  double baseline = 0;
  double own = 0;
};

double ratio(double baseline, double own) { return baseline == own ? 1 : baseline / own; }

/// The median, which is infinite when half of the values or more are infinite.
double middle(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

double ratio_of_medians(const std::vector<Pair>& pairs) {
  std::vector<double> baseline;
  std::vector<double> own;
  for (const auto& pair : pairs) {
    baseline.push_back(pair.baseline);
    own.push_back(pair.own);
  }
  return ratio(middle(baseline), middle(own));
}

SpeedUpEnds range_over(const std::vector<Pair>& pairs) {
  std::vector<double> ratios;
  for (const auto& [baseline, own] : pairs) {
    // A seed that reached the target on neither side has no ratio.
    if (std::isfinite(baseline) || std::isfinite(own)) ratios.push_back(ratio(baseline, own));
  }
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  SpeedUpEnds ends;
  if (*low > 0) ends.low = *low;
  if (std::isfinite(*high)) ends.high = *high;
  return ends;
}

std::vector<Pair> paired(const TimesOfSeeds& baseline, const TimesOfSeeds& own) {
  constexpr auto kNever = std::numeric_limits<double>::infinity();
  std::vector<Pair> pairs;
  for (const auto& [seed, time] : baseline) {
    const auto other = own.find(seed);
    if (other == own.end()) break;
    pairs.push_back({time.value_or(kNever), other->second.value_or(kNever)});
  }
  if (pairs.size() != baseline.size() || pairs.size() != own.size()) {
    throw std::invalid_argument{"a speed-up over other seeds than the baseline's"};
  }
  return pairs;
}

std::vector<statistics::Between> times_of(const CrossingsOfSeeds& crossings, double share) {
  std::vector<statistics::Between> times;
  for (const auto& [seed, crossing] : crossings) {
    times.push_back({share * crossing.from_s, share * crossing.until_s});
  }
  return times;
}

const ReportRow* row_with(const std::vector<ReportRow>& rows, std::string_view word,
                          std::string ReportRow::*member) {
  const auto row = std::ranges::find(rows, word, member);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

std::optional<Ends> tta_within(const TargetSummary& summary) {
  std::optional<Ends> all;
  for (const auto& [seed, crossing] : summary.crossings) {
    if (!all) all = Ends{crossing.from_s, crossing.until_s};
    all->low_s = std::min(all->low_s, crossing.from_s);
    all->high_s = std::max(all->high_s, crossing.until_s);
  }
  return all;
}

std::optional<SpeedUpEnds> interval_of(const CrossingsOfSeeds& baseline,
                                       const CrossingsOfSeeds& own, double share) {
  const auto theirs = times_of(baseline, share);
  const auto mine = times_of(own, 1);
  const auto takes_no_time = [](const statistics::Between& time) { return time.from_s <= 0; };
  if (theirs.size() != mine.size() || std::ranges::any_of(theirs, takes_no_time) ||
      std::ranges::any_of(mine, takes_no_time)) {
    return std::nullopt;
  }
  const auto found = statistics::paired_ratio(theirs, mine);
  return found ? std::optional{SpeedUpEnds{found->low, found->high}} : std::nullopt;
}

std::optional<SpeedUp> speed_up_of(const TargetSummary& baseline, const TargetSummary& own) {
  const auto pairs = paired(baseline.tta_s_of_seeds, own.tta_s_of_seeds);
  if (pairs.empty()) return std::nullopt;
  const auto missed =
      std::ranges::count_if(pairs, [](const Pair& pair) { return std::isinf(pair.own); });
  const auto value = ratio_of_medians(pairs);
  if (2 * missed >= std::ssize(pairs) || !std::isfinite(value) || value <= 0) return std::nullopt;
  SpeedUp speed_up{value, range_over(pairs), std::nullopt};
  if (baseline.crossings.size() == pairs.size() && own.crossings.size() == pairs.size()) {
    speed_up.interval = interval_of(baseline.crossings, own.crossings);
  }
  return speed_up;
}

bool comparable(const ReportRow& one, const ReportRow& other) {
  const auto whole = [](const ReportRow& row) {
    return row.done > 0 && row.failed == 0 && row.unfinished == 0 && !row.suspect;
  };
  return whole(one) && whole(other) && one.seeds == other.seeds;
}

const ReportRow* first_of(const std::vector<ReportRow>& rows, std::string_view method) {
  return row_with(rows, method, &ReportRow::method);
}

const ReportRow* find_row(const std::vector<ReportRow>& rows, const std::string& label) {
  return row_with(rows, label, &ReportRow::label);
}

}  // namespace pacbench::report
