#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "contract/scenario/scenario.h"
#include "harness/record/record.h"
#include "harness/statistics/block_bootstrap.h"

namespace pacbench::record {

/// The training clock of a whole training, computed from some iterations that crossed the links.
/// Not all iterations of a training are alike: some send more than others while a mask is not
/// agreed on, or when ranks check that they hold the same mask. The run that trained recorded what
/// each iteration sent. So an iteration takes the mean time of the measured iterations that sent as
/// many bytes. Where none did, it takes the time of those with the nearest number of bytes. That
/// time is corrected by the least time of a byte on the wire for each byte more or less.
class ComposedClock {
 public:
  /// `measured`: iterations that crossed the links, in order, on a clock that stopped while
  /// something was pruned; the first one's time begins with the clock. `training`: every iteration
  /// of the run that trained. `pruning`: the pruning steps whose time the clock adds. Throws
  /// std::invalid_argument when fewer than 4 were measured, or none trained, and std::runtime_error
  /// when the training sends something and none of the measured ones after the first did.
  ComposedClock(const std::vector<CellRecord::Step>& measured,
                const std::vector<AlikeIterations>& training,
                std::vector<PruningStep> pruning = {});

  /// The clock, in seconds, at the end of `iteration`; 0 before the first. Beyond the training's
  /// last iteration, all are assumed to be like the last.
  double at(std::int64_t iteration) const;

  /// The middle 95 % of the clock times, in seconds, that other measured iterations would have
  /// given. Iterations that sent equally many bytes are drawn again in blocks of neighbours
  /// (statistics/block_bootstrap.h). The random draws have a fixed seed. The lower end uses
  /// iterations less the time that ranks overslept. The interval does not cover differences between
  /// runs and seeds.
  statistics::KnownEnds interval(std::int64_t iteration) const;

 private:
  /// The measured iterations that sent equally many bytes.
  struct Alike {
    std::vector<double> lengths_s{};
    std::vector<double> least_s{};  ///< lengths less the time that ranks overslept
    double mean_s = 0;              ///< length
    /// Means of lengths drawn again, and the number of blocks that they were drawn from.
    std::vector<double> redrawn_s{};
    std::vector<double> least_redrawn_s{};
    double blocks = 1;

    void redraw(statistics::Random& random);
  };

  /// The parts of the training clock at the end of some iteration.
  struct Sum {
    double fixed_s = 0;                           ///< first iteration; byte corrections; pruning
    double late_s = 0;                            ///< overslept in the first iteration
    std::map<std::int64_t, double> iterations{};  ///< their number, by bytes sent
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

/// Returns the pruning steps of the run that trained that this cell did not do itself; none without
/// such a run. Where exchanges are replayed these are all steps, with their times
/// multiplied by the compute factor that compose.profile assumes. In other cells they are the steps
/// after the cell's last iteration.
std::vector<PruningStep> pruning_elsewhere(const Scenario& scenario, const CellRecord& record);

/// The composed clock of rank 0 of a cell. Throws as the constructor does.
ComposedClock composed_clock(const Scenario& scenario, const CellRecord& record);

/// The evaluations of the run that trained, at the times that this cell's clock gives their
/// iterations. Throws as composed_clock does.
std::vector<EvaluationEvent> timed(std::vector<EvaluationEvent> evaluations,
                                   const Scenario& scenario, const CellRecord& record);

}  // namespace pacbench::record
