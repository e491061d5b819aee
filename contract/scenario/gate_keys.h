#pragma once

#include "base/checked_keys.h"
#include "contract/scenario/gate.h"

/// The keys of a gate, for reader, writer and schema.
namespace pacbench {

template <>
struct JsonFields<Gate> {
  using T = Gate;
  static constexpr std::tuple kAll{
      required("method", &T::method, {}, "the label of a method"),
      required("metric", &T::metric, {},
               "tta: seconds to the target; step: seconds an iteration; iterations: to the target; "
               "bytes: wire bytes an iteration and worker; payload-bytes, collectives: likewise; "
               "accuracy, loss: final"),
      sparse("target", &T::target, Range::ratio(), "an accuracy among the scenario's targets"),
      sparse("target_loss", &T::target_loss, Range::positive(),
             "a loss among the scenario's targets"),
      sparse("of_all_reduce", &T::of_all_reduce, Range::ratio(),
             "a share of all-reduce's accuracy among the scenario's targets"),
      sparse("over", &T::over, {}, "the label of a method: the ratio to its number is bounded"),
      sparse("link", &T::link, {}, "the name of a link; by default each link has to hold"),
      sparse("min", &T::min, {}, "the gate holds at so much or more"),
      sparse("max", &T::max, {}, "the gate holds at so much or less")};

  static void check(ObjectReader& reader, const T& gate) {
    const bool to_target =
        gate.metric == GateMetric::kTta || gate.metric == GateMetric::kIterations;
    const int targets = static_cast<int>(gate.target.has_value()) +
                        static_cast<int>(gate.target_loss.has_value()) +
                        static_cast<int>(gate.of_all_reduce.has_value());
    if (targets != (to_target ? 1 : 0)) {
      reader.complain("metric", to_target ? "expected one of target, target_loss and of_all_reduce "
                                            "beside metrics tta and iterations"
                                          : "expected no target beside this metric: only tta and "
                                            "iterations lead to one");
    }
    if (is_time(gate.metric) && !gate.over) {
      reader.complain("over",
                      "missing, expected the label of a method: seconds differ between machines, "
                      "their ratios travel");
    }
    if (!gate.min && !gate.max) reader.complain("max", "missing, expected max, min or both");
  }
};

}  // namespace pacbench
