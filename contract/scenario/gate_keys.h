#pragma once

#include "base/json/checked_keys.h"
#include "contract/scenario/gate.h"

/// The keys of a gate, for reader, writer and schema.
namespace pacbench {

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

}  // namespace pacbench
