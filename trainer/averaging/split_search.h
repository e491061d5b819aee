#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

namespace pacbench::trainer {

/// MergeComp's search for the split: the bucket at which the second of two parts begins. Splits go
/// from 1 to the number of buckets; the last leaves no second part. A binary search measures two
/// neighbours and continues on the side of the faster one. It finds the fastest split where times
/// first fall and then rise with the split.
struct SplitSearch {
  std::int64_t buckets = 1;
  std::map<std::int64_t, double> times_s = {};  ///< of the splits that have been measured

  bool found() const { return !not_yet_measured(); }

  /// The split to be measured next; once the search has ended, the fastest of the measured ones.
  std::int64_t next() const {
    if (const auto split = not_yet_measured()) return *split;
    if (times_s.empty()) return 1;
    const auto fastest = std::min_element(
        times_s.begin(), times_s.end(),
        [](const auto& one, const auto& other) { return one.second < other.second; });
    return fastest->first;
  }

  /// The next split to measure; nothing once the search has ended.
  std::optional<std::int64_t> not_yet_measured() const {
    std::int64_t low = 1;
    std::int64_t high = buckets;
    while (low < high) {
      const auto middle = (low + high) / 2;
      for (const auto split : {middle, middle + 1}) {
        if (!times_s.contains(split)) return split;
      }
      const bool falls = times_s.at(middle + 1) < times_s.at(middle);
      (falls ? low : high) = falls ? middle + 1 : middle;
    }
    return std::nullopt;
  }
};

}  // namespace pacbench::trainer
