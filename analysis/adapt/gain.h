#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/adapt/arm.h"
#include "contract/network/network.h"

namespace pacbench::adapt {

/// How much an oracle shortens training over a link whose rate moves, compared with the best single
/// arm. The oracle knows the rate at every moment and each arm's time at that rate. It changes arms
/// at once and at no cost. In a time dt, training advances by the share dt / TTA(rate) of the way
/// to the target. The next arm goes on from what was learned with the one before. No method that
/// changes among these arms can gain more.
struct Gain {
  std::string single;   ///< the one arm that is the fastest over this very schedule
  double single_s = 0;  ///< its time to the target
  double oracle_s = 0;
  std::map<std::string, double> shares;  ///< fractions of the oracle's time, by arm
  /// single_s / oracle_s of each seed. The arms of both are chosen by the medians over the seeds,
  /// not by the seed's own times.
  std::vector<double> of_seeds;

  double factor() const { return single_s / oracle_s; }
};

/// Throws std::invalid_argument for a schedule without steps.
Gain gain_over(const Arms& arms, const RateSchedule& schedule);

/// The two fastest arms at one measured rate, held constant.
struct AtRate {
  double rate_mbit = 0;
  std::string fastest;
  double tta_s = 0;
  std::string next;  ///< the second fastest; empty with one arm
  double next_s = 0;
};

std::vector<AtRate> fastest_at_rates(const Arms& arms);

/// The arm whose time stays nearest to the fastest arm's time, judged at its worst measured rate.
struct Steady {
  std::string label;
  double worst_factor = 1;  ///< its time over that of the fastest, at that rate
  double rate_mbit = 0;
};

Steady steadiest(const Arms& arms);

}  // namespace pacbench::adapt
