#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/scenario/scenario.h"
#include "contract/worker/worker_event.h"

namespace pacbench::tune {

/// One setting of a method with a learning rate: `place` in MethodEntry::settings (0 for the
/// entry's own options, where it names no settings).
struct Arm {
  std::size_t place = 0;
  double lr = 0;
};

/// Pairs each setting of a method with each of the learning rates `rates`.
std::vector<Arm> arms_of(const MethodEntry& method, const std::vector<double>& rates);

const Choice& choice_of(const MethodEntry& method, const Arm& arm);

/// The seeds that a method's arms train with: those of the scenario's tuning, and further ones for
/// a method with fewer settings than others. So all methods train equally often.
std::vector<std::int64_t> seeds_of(const Scenario& scenario, const MethodEntry& method);

/// The trainings of one method: a scenario of mode learn whose methods are those of arms_of(), in
/// their order. It evaluates on samples held out of the training set. A program of the user's own
/// has no mode learn: it trains over the scenario's first link, and is told by
/// PACBENCH_VALIDATION_SAMPLES how many samples to hold out.
Scenario training_scenario(const Scenario& scenario, const MethodEntry& method,
                           const std::vector<double>& rates);

/// The result of one training of an arm.
struct Training {
  bool done = false;                   ///< else it diverged
  std::vector<EvaluationEvent> curve;  ///< on the validation samples
  double bytes_per_iteration = 0;      ///< as the method declares them; of a program, as counted
};

/// An arm with its trainings, one for each seed.
struct Tried {
  Arm arm;
  std::vector<Training> trainings;
};

/// The values of an arm that the rule judges by.
struct Judged {
  /// Median over the seeds of the last evaluation (of an even number, the worse middle value);
  /// absent when half of the trainings or more gave none.
  std::optional<double> final_value;
  bool as_good = false;  ///< as the best arm
  /// Median over the seeds of the bytes sent until the curve is as good by the rule of
  /// contract/result/crossing.h (of an even number, the worse middle value); absent when half of
  /// the trainings or more never get as good.
  std::optional<double> bytes;
};

struct Chosen {
  std::size_t place = 0;  ///< index among the tried arms
  std::vector<Judged> judged;
};

/// Chooses an arm. The best arm has the highest final accuracy or, where `metric` is the loss, the
/// lowest final loss. Arms within `within` of the best are as good (docs/RULES.md); `within` is a
/// difference of accuracies or a share of the loss. Among them the arm is chosen that sends the
/// fewest bytes until its curve is that good (Judged::bytes). A method declares these bytes, so
/// they depend on no machine. Of arms with equal bytes the better is chosen, then the earlier.
/// Throws std::invalid_argument when nothing was tried.
Chosen choose(const std::vector<Tried>& tried, const std::string& metric, double within);

}  // namespace pacbench::tune
