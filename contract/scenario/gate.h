#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "contract/scenario/target.h"

namespace pacbench {

/// The numbers that a gate can bound: times of the training clock, counts, and final values of the
/// curve.
enum class GateMetric {
  kTta,            ///< time to the gate's target, s
  kStep,           ///< median time per iteration, s
  kIterations,     ///< number of iterations until the gate's target
  kBytes,          ///< wire bytes counted, per iteration and worker
  kPayloadBytes,   ///< handed to collectives, per iteration and worker
  kCollectives,    ///< per iteration and worker
  kFinalAccuracy,  ///< of the last evaluation
  kFinalLoss,      ///< of the last evaluation
};

template <>
struct Words<GateMetric> {
  static constexpr std::array kAll{"tta",           "step",        "iterations", "bytes",
                                   "payload-bytes", "collectives", "accuracy",   "loss"};
};

/// Whether a metric is a time, which holds only on the machine that measured it.
inline bool is_time(GateMetric metric) {
  return metric == GateMetric::kTta || metric == GateMetric::kStep;
}

/// The target of a gate, as a file writes it: an accuracy (0.97), or a share of all-reduce's final
/// accuracy, as tables write it ("99 % of all-reduce").
struct GateTarget {
  double value = 0;  ///< an accuracy or a share, in (0, 1]
  bool is_of_all_reduce = false;

  constexpr GateTarget() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr GateTarget(double accuracy) : value{accuracy} {}

  static GateTarget read(ObjectReader& reader, const char* key);
  static Json schema();
};
void to_json(Json& json, const GateTarget& target);
void from_json(const Json& json, GateTarget& target);

/// A bound that a run must keep. It bounds a method's number, or the ratio of that number to
/// another method's over the same link with the same seeds.
struct Gate {
  std::string method;
  GateMetric metric = GateMetric::kTta;
  /// With metrics tta and iterations exactly one of these three is set, with other metrics none.
  /// Each is in the scenario's targets: an accuracy, a loss, or a share of all-reduce's accuracy.
  std::optional<GateTarget> target;
  std::optional<double> target_loss;
  std::optional<double> of_all_reduce;
  std::optional<std::string> over;
  std::optional<std::string> link;
  std::optional<double> min;
  std::optional<double> max;
};

template <>
struct JsonFields<Gate> {
  using T = Gate;
  static constexpr std::tuple kAll{
      required("method", &T::method, {}, "the label of a method"),
      required("metric", &T::metric, {},
               "tta: seconds until the target; iterations: iterations until the target; step: "
               "seconds of an iteration; bytes, payload-bytes, collectives: of a worker in an "
               "iteration (bytes: on the wire); accuracy, loss: the final value"),
      sparse("target", &T::target, {},
             "an accuracy among the scenario's targets, or a share of all-reduce's: \"99 % of "
             "all-reduce\""),
      sparse("target_loss", &T::target_loss, Range::positive(),
             "a loss among the scenario's targets"),
      sparse("of_all_reduce", &T::of_all_reduce, Range::ratio(),
             "a share of all-reduce's accuracy among the scenario's targets"),
      sparse("over", &T::over, {},
             "the label of a method; min and max then bound the ratio to that method's number"),
      sparse("link", &T::link, {},
             "the name of a link; by default the gate must hold on each link"),
      sparse("min", &T::min, {}, "the smallest value at which the gate holds"),
      sparse("max", &T::max, {}, "the largest value at which the gate holds")};

  static void check(ObjectReader& reader, const T& gate) {
    const bool to_target =
        gate.metric == GateMetric::kTta || gate.metric == GateMetric::kIterations;
    const int targets = static_cast<int>(gate.target.has_value()) +
                        static_cast<int>(gate.target_loss.has_value()) +
                        static_cast<int>(gate.of_all_reduce.has_value());
    if (targets != (to_target ? 1 : 0)) {
      reader.complain(
          "metric",
          to_target
              ? "expected one of target, target_loss and of_all_reduce beside metric tta or "
                "iterations"
              : "expected no target beside this metric: only tta and iterations have a target");
    }
    if (is_time(gate.metric) && !gate.over) {
      reader.complain("over",
                      "missing, expected the label of a method: seconds differ between machines, "
                      "but ratios of seconds can be compared");
    }
    if (!gate.min && !gate.max) reader.complain("max", "missing, expected max, min or both");
  }
};

/// The gate's number in words: "tta to 95 % of topk-keep1% over fp16".
std::string words_of(const Gate& gate);

/// The names of the links of a scenario (canonical form), in the scenario's order; "none" alone in
/// mode learn, which has no network.
std::vector<std::string> link_names(const Json& scenario);

/// Lists each method, link and target that a gate names but the scenario (canonical form) lacks,
/// with its JSON pointer.
std::vector<Issue> gate_issues(const std::vector<Gate>& gates, const Json& scenario);

/// The target of a scenario (canonical form) to which a gate refers. Nothing when the gate's metric
/// has no target, or when the target is a share of the accuracy that all-reduce reaches and the
/// scenario does not hold that accuracy yet.
std::optional<Target> target_of(const Gate& gate, const Json& scenario);

/// Reads a file of gates: an object with the key "gates", as a scenario has it. Throws ConfigError
/// naming every problem with its JSON pointer, std::system_error when it cannot be read.
std::vector<Gate> read_gates_file(const std::string& path);

}  // namespace pacbench
