#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "contract/network/link_facts.h"
#include "trainer/collectives/group.h"
#include "trainer/kernels/lanes.h"

namespace pacbench::trainer {

/// How small whole numbers travel while they are summed over all ranks. All ways give the same
/// sums, exactly.
enum class Encoding {
  kInt8,      ///< a ring all-reduce of bytes
  kLanes,     ///< a ring all-reduce of words that hold several numbers each, in lanes
  kAllToAll,  ///< each rank sums its share, received by all-to-all, and all-gathers the totals
  kAuto,      ///< of the above whose sums fit, the one expected to be shortest on the wire
};

/// The encoding that an option names: int8, lanes, all-to-all or auto. Throws std::invalid_argument
/// for any other name.
Encoding encoding_of(const std::string& name);
const char* name_of(Encoding encoding);

/// Sums digits in [-levels, levels] over N ranks.
///
/// A lane need not hold the sum of all N digits. Subtracting a rank's own words from the total
/// leaves the sum of the other ranks' digits, whatever was carried from lane to lane on the way.
/// That sum fits bits_for(2 · levels · (N - 1)) bits. For ternary digits at N = 8 these are 4, so
/// two lanes fill a byte. The all-to-all carries digits of bits_for(2 · levels) bits. Its totals
/// need only as many bits as a lane of the all-reduce: they travel modulo 2^bits, and each rank's
/// own digit tells which total is meant.
class LevelSum {
 public:
  /// Throws std::invalid_argument, with the arithmetic, when sums do not fit: int8 holds 127, and
  /// every encoding's result 32767 (int16).
  LevelSum(Encoding encoding, int levels, int ranks, const LinkFacts& link);

  /// The encoding that `elements` digits travel by: never kAuto.
  Encoding encoding_for(std::int64_t elements) const;

  /// The collectives that `sum` will call.
  PlannedCalls traffic(std::int64_t elements) const {
    return traffic(encoding_for(elements), elements);
  }

  /// Sums int8[count] over all ranks; this rank's tensor may be overwritten. Returns int8[count]
  /// for encoding int8, where the sum fits, and int16[count] for the others.
  Task<at::Tensor> sum(at::Tensor digits, Group& group) const;

 private:
  PlannedCalls traffic(Encoding encoding, std::int64_t elements) const;
  std::int64_t share(std::int64_t elements) const { return (elements + ranks_ - 1) / ranks_; }
  Task<at::Tensor> sum_lanes(at::Tensor digits, Group& group) const;
  Task<at::Tensor> sum_shares(at::Tensor digits, Group& group) const;

  Encoding encoding_;
  int levels_;
  int ranks_;
  LinkFacts link_;
  LaneLayout digit_lanes_;  ///< hold one rank's digit
  LaneLayout sum_lanes_;    ///< hold the sum of all other ranks' digits
};

}  // namespace pacbench::trainer
