#pragma once

#include <cstdint>
#include <map>

namespace pacbench::trainer {

/// MergeComp's search for the split: the bucket at which the second of two parts begins. Splits go
/// from 1 to the number of buckets; the last leaves no second part. A binary search measures two
/// neighbours and continues on the side of the faster one. It finds the fastest split where times
/// first fall and then rise with the split.
struct SplitSearch {
  std::int64_t buckets = 1;
  std::map<std::int64_t, double> times_s = {};  ///< of the splits that have been measured

  /// The split to be measured next; once the search has ended, the fastest of the measured ones.
  std::int64_t next() const;
  bool found() const;
};

}  // namespace pacbench::trainer
