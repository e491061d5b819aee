#pragma once

#include <cstdint>
#include <map>

namespace pacbench::trainer {

/// MergeComp's search for the first bucket of the second of two parts, from 1 to the number of
/// buckets, where there is no second part: a binary search that measures neighbours and goes on on
/// the side of the faster one. Exact where times fall and then rise with the split.
struct SplitSearch {
  std::int64_t buckets = 1;
  std::map<std::int64_t, double> times_s = {};  ///< of the splits that have been measured

  /// The split to be measured next; once it is found, the fastest of those that were.
  std::int64_t next() const;
  bool found() const;
};

}  // namespace pacbench::trainer
