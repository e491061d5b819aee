#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/cell/record.h"

namespace pacbench::compose {

/// The training clock of a whole training, from some iterations that crossed the links.
///
/// Not all iterations of a training are alike: a mask that is not agreed on yet, or a proof that
/// all ranks hold the same, makes one send more than others. What each of the training's sent is
/// known from the run that trained; so each takes as long as those did, on the average, that sent
/// as much over the links. One that sent what none of them did takes as long as those next to it,
/// and for each byte more or less what a byte took them on the wire.
class ComposedClock {
 public:
  /// `measured`: iterations that crossed the links, as they came; the first counts as it was, with
  /// all that lay before it. `training`: every iteration of the run that trained. Throws
  /// std::invalid_argument when fewer than 4 were measured, or none trained.
  ComposedClock(const std::vector<cell::CellRecord::Step>& measured,
                const std::vector<cell::AlikeIterations>& training);

  /// The clock at the end of `iteration`; 0 before the first. Beyond the training's last one all
  /// are taken to be like that.
  double at(std::int64_t iteration) const;

  /// The middle 95 % of what the clock would have shown had these iterations come otherwise: those
  /// that sent the same drawn again, with replacement, 2000 times (Efron and Tibshirani 1993,
  /// 13.3), the same draws everywhere. It knows nothing of what differs between runs and seeds.
  struct Interval {
    double low_s = 0;
    double high_s = 0;
  };
  Interval interval(std::int64_t iteration) const;

 private:
  /// The measured iterations that sent the same.
  struct Alike {
    std::vector<double> lengths_s;
    double wire_s = 0;                ///< of all of them
    double mean_s = 0;                ///< length
    double s_per_byte = 0;            ///< on the wire
    std::vector<double> redrawn_s{};  ///< means of lengths drawn again
  };

  /// What a training of some length is made of.
  struct Sum {
    double fixed_s = 0;                           ///< the first iteration; bytes beside
    std::map<std::int64_t, double> iterations{};  ///< of those alike, by what they sent
  };

  Sum sum_until(std::int64_t iteration) const;
  void add(std::int64_t iterations, std::int64_t sent_bytes, Sum& sum) const;
  std::int64_t nearest(std::int64_t sent_bytes) const;

  double first_s_ = 0;
  std::map<std::int64_t, Alike> alike_;  ///< by bytes sent
  std::vector<cell::AlikeIterations> training_;
};

/// That of rank 0 of a cell. Throws as the constructor does.
ComposedClock composed_clock(const cell::CellRecord& record);

}  // namespace pacbench::compose
