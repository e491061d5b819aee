#include "trainer/averaging/split_search.h"

#include <algorithm>
#include <optional>

namespace pacbench::trainer {
namespace {

/// The next split to measure; nothing once the search has ended.
std::optional<std::int64_t> not_yet_measured(const SplitSearch& search) {
  std::int64_t low = 1;
  std::int64_t high = search.buckets;
  while (low < high) {
    const auto middle = (low + high) / 2;
    for (const auto split : {middle, middle + 1}) {
      if (!search.times_s.contains(split)) return split;
    }
    const bool falls = search.times_s.at(middle + 1) < search.times_s.at(middle);
    (falls ? low : high) = falls ? middle + 1 : middle;
  }
  return std::nullopt;
}

}  // namespace

bool SplitSearch::found() const { return !not_yet_measured(*this); }

std::int64_t SplitSearch::next() const {
  if (const auto split = not_yet_measured(*this)) return *split;
  if (times_s.empty()) return 1;
  const auto fastest = std::min_element(
      times_s.begin(), times_s.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  return fastest->first;
}

}  // namespace pacbench::trainer
