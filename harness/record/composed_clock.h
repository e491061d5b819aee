#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "contract/scenario/scenario.h"
#include "harness/record/record.h"
#include "harness/statistics/block_bootstrap.h"

namespace pacbench::record {

/// The training clock of a whole training, from some iterations that crossed the links.
///
/// Not all iterations of a training are alike: a mask that is not agreed on yet, or a proof that
/// all ranks hold the same, makes one send more than others. What each of the training's sent is
/// known from the run that trained; so each takes as long as those did, on the average, that sent
/// as much over the links. One that sent what none of them did takes as long as those next to it,
/// and for each byte more or less the least that a byte took on the wire.
class ComposedClock {
 public:
  /// `measured`: iterations that crossed the links, as they came, on a clock that stood while
  /// something was pruned; the first counts as it was, with all that lay before it. `training`:
  /// every iteration of the run that trained. `pruning`: what is on the clock beside. Throws
  /// std::invalid_argument when fewer than 4 were measured, or none trained, and
  /// std::runtime_error when the training sends something and none of the measured ones did.
  ComposedClock(const std::vector<CellRecord::Step>& measured,
                const std::vector<AlikeIterations>& training,
                std::vector<PruningStep> pruning = {});

  /// The clock at the end of `iteration`; 0 before the first. Beyond the training's last one all
  /// are taken to be like that.
  double at(std::int64_t iteration) const;

  /// The middle 95 % of what the clock would have shown had these iterations come otherwise: those
  /// that sent the same drawn again in blocks of neighbours (statistics/block_bootstrap.h), the
  /// same draws everywhere. The lower end is of iterations less the time that ranks overslept in
  /// them. It knows nothing of what differs between runs and seeds.
  statistics::KnownEnds interval(std::int64_t iteration) const;

 private:
  /// The measured iterations that sent the same.
  struct Alike {
    std::vector<double> lengths_s{};
    std::vector<double> least_s{};  ///< lengths less the time that ranks overslept
    double mean_s = 0;              ///< length
    /// Means of lengths drawn again, and of how many blocks these are.
    std::vector<double> redrawn_s{};
    std::vector<double> least_redrawn_s{};
    double blocks = 1;

    void redraw(statistics::Random& random);
  };

  /// The parts of the time of a training of some length.
  struct Sum {
    double fixed_s = 0;                           ///< first iteration; bytes beside; pruning
    double late_s = 0;                            ///< of the first iteration
    std::map<std::int64_t, double> iterations{};  ///< of those alike, by what they sent
  };

  Sum sum_until(std::int64_t iteration) const;
  void add(std::int64_t iterations, std::int64_t sent_bytes, Sum& sum) const;
  std::int64_t nearest(std::int64_t sent_bytes) const;
  std::vector<double> drawn_clocks_s(const Sum& sum, std::vector<double> Alike::*redrawn) const;

  double first_s_ = 0;
  double first_late_s_ = 0;
  double s_per_byte_ = 0;
  std::map<std::int64_t, Alike> alike_;  ///< by bytes sent
  std::vector<AlikeIterations> training_;
  std::vector<PruningStep> pruning_;
};

/// The pruning of the training that a cell did not do itself: all of it where exchanges are
/// replayed, for as long as it took the run that trained, times the factor by which its profile
/// assumes that computing takes another time than here; else what came after its last iteration.
std::vector<PruningStep> pruning_elsewhere(const Scenario& scenario, const CellRecord& record);

/// The composed clock of rank 0 of a cell. Throws as the constructor does.
ComposedClock composed_clock(const Scenario& scenario, const CellRecord& record);

/// The evaluations of the run that trained, at the times at which this cell's clock has their
/// iterations. Throws as composed_clock does.
std::vector<EvaluationEvent> timed(std::vector<EvaluationEvent> evaluations,
                                   const Scenario& scenario, const CellRecord& record);

}  // namespace pacbench::record
