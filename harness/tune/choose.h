#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/worker/worker_event.h"
#include "harness/tune/trainings.h"

namespace pacbench::tune {

/// The result of one training of an arm.
struct Training {
  bool done = false;                   ///< else it diverged
  std::vector<EvaluationEvent> curve;  ///< on the validation samples
  double bytes_per_iteration = 0;      ///< as the method declares them
};

/// An arm with its trainings, one for each seed.
struct Tried {
  Arm arm;
  std::vector<Training> trainings;
};

/// The values of an arm that the rule judges by.
struct Judged {
  /// Median over the seeds of the last evaluation; absent when half of the trainings or more gave
  /// none.
  std::optional<double> final_value;
  bool as_good = false;  ///< as the best one
  /// Median over the seeds of the bytes sent until the curve is as good and stays so; absent when
  /// half of the trainings or more never get as good.
  std::optional<double> bytes;
};

struct Chosen {
  std::size_t place = 0;  ///< index among the tried arms
  std::vector<Judged> judged;
};

/// Chooses an arm. The best is the one whose final accuracy is highest (final loss lowest, where
/// `metric` is that). All within `within` of it are as good (docs/RULES.md). Of these it takes the
/// one that sends the fewest bytes until its curve stays that good, by the method's own count and
/// independent of any machine; of equal ones the better, then the earlier. Throws
/// std::invalid_argument when nothing was tried.
Chosen choose(const std::vector<Tried>& tried, const std::string& metric, double within);

}  // namespace pacbench::tune
