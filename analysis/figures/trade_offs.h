#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pacbench::figures {

/// One method: its speed-up over all-reduce to a target, and its final accuracy.
struct TradeOff {
  double speed_up = 0;
  double accuracy = 0;
};

/// Says for each method whether it is on the Pareto front: no other method is at least as good in
/// both numbers and better in one.
std::vector<bool> pareto_front(const std::vector<TradeOff>& methods);

/// A method's time to accuracy over links that differ in their rate alone.
struct RateSeries {
  struct Point {
    double rate_mbit = 0;
    std::optional<double> tta_s;  ///< median; absent where not reached or not comparable
  };
  std::string label;
  std::vector<Point> points;  ///< rates ascending, the same for all methods
};

/// A rate at which the fastest method changes as the link gets faster.
struct FastestChange {
  double rate_mbit = 0;
  double tta_s = 0;
  std::string slower_links;  ///< label of the fastest method below that rate
  std::string faster_links;  ///< label of the fastest method above it
};

/// Finds where the fastest method changes. Between neighbouring rates each method is a straight
/// line in the logarithms of rate and time. Time on the wire is such a line, as it is inversely
/// proportional to the rate; computing is one, as it is constant. Changes beyond the measured rates
/// are not found.
std::vector<FastestChange> fastest_changes(const std::vector<RateSeries>& methods);

}  // namespace pacbench::figures
