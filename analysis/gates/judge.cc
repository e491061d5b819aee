#include "analysis/gates/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/report/merge.h"
#include "contract/result/result.h"
#include "harness/statistics/two_sides.h"

namespace pacbench::gates {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The value of a metric in one cell: a number or kNever, else `why` says why there is none.
struct Reading {
  std::optional<double> value;
  std::string why;
  bool has_failed = false;
};

std::optional<double> number_of(const CellResult& cell, GateMetric metric, const Target& target) {
  const auto to_target = [&](auto member) -> std::optional<double> {
    const auto* reached = report::find_target(cell, target);
    if (reached == nullptr) return std::nullopt;
    return reached->*member ? static_cast<double>(*(reached->*member)) : kNever;
  };
  switch (metric) {
    case GateMetric::kTta:
      return to_target(&TargetResult::tta_s);
    case GateMetric::kIterations:
      return to_target(&TargetResult::iterations);
    case GateMetric::kStep:
      return step_time_s(cell);
    case GateMetric::kBytes:
      return cell.measured_bytes_per_iteration;
    case GateMetric::kPayloadBytes:
      return cell.payload_bytes_per_iteration;
    case GateMetric::kCollectives:
      return cell.collectives_per_iteration;
    case GateMetric::kFinalAccuracy:
      return cell.final_accuracy;
    case GateMetric::kFinalLoss:
      return cell.final_loss;
  }
  return std::nullopt;
}

bool is_of_learning(GateMetric metric) {
  return metric == GateMetric::kTta || metric == GateMetric::kIterations ||
         metric == GateMetric::kFinalAccuracy || metric == GateMetric::kFinalLoss;
}

/// Reads the gate's metric in a cell. `has_evaluations` says whether cells of the run may have
/// evaluations.
Reading reading(const CellResult& cell, const Gate& gate, const Target& target,
                bool has_evaluations) {
  const auto where = fmt::format("seed {} of {}", cell.seed, cell.label);
  if (cell.status == CellStatus::kFailed) {
    return {std::nullopt, fmt::format("{} failed: {}", where, cell.reason), true};
  }
  if (cell.status != CellStatus::kDone) {
    return {std::nullopt, fmt::format("{} is {}", where, word_of(cell.status))};
  }
  if (cell.link_verdict.word != "ok") return {std::nullopt, where + " ran over a suspect link"};
  if (!has_evaluations && is_of_learning(gate.metric)) {
    return {std::nullopt, where + " has no learning curve, since its run has none"};
  }
  const auto value = number_of(cell, gate.metric, target);
  if (!value) return {std::nullopt, fmt::format("{} has no {}", where, word_of(gate.metric))};
  return {value, ""};
}

const CellResult* find_cell(const RunResult& run, const std::string& label, const std::string& link,
                            std::int64_t seed) {
  const auto found = std::ranges::find_if(run.cells, [&](const CellResult& cell) {
    return cell.label == label && cell.link == link && cell.seed == seed;
  });
  return found == run.cells.end() ? nullptr : &*found;
}

bool is_within(double value, const Gate& gate) {
  return (!gate.min || value >= *gate.min) && (!gate.max || value <= *gate.max);
}

bool is_outside(double low, double high, const Gate& gate) {
  return (gate.min && high < *gate.min) || (gate.max && low > *gate.max);
}

std::string bounds_words(const Gate& gate) {
  if (gate.min && gate.max) return fmt::format("{:g} to {:g}", *gate.min, *gate.max);
  return gate.max ? fmt::format("at most {:g}", *gate.max)
                  : fmt::format("at least {:g}", *gate.min);
}

void decide(Judgement& judgement) {
  const auto& gate = judgement.gate;
  const double low = *judgement.low;
  const double high = *judgement.high;
  if (is_within(low, gate) && is_within(high, gate)) {
    judgement.finding = Finding::kHolds;
    return;
  }
  const bool is_broken = is_outside(low, high, gate);
  judgement.finding = is_broken ? Finding::kBroken : Finding::kInconclusive;
  judgement.why =
      is_broken
          ? fmt::format("expected {}", bounds_words(gate))
          : fmt::format(
                "the range from {:.4g} to {:.4g} crosses the bound ({}); more seeds may decide",
                low, high, bounds_words(gate));
}

/// Fills in the value and its ends: from the seeds' numbers `own`, or from their ratios to `base`
/// seed by seed.
void measure(Judgement& judgement, const std::vector<double>& own,
             const std::vector<double>& base) {
  std::vector<double> values = own;
  double log_sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!base.empty()) values[i] /= base[i];
    log_sum += std::log(values[i]);
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  judgement.value = std::exp(log_sum / static_cast<double>(values.size()));
  judgement.low = *least;
  judgement.high = *most;
  // By way of logarithms, the mean and the interval of equal values would differ from them by
  // rounding.
  if (*least == *most) judgement.value = *least;
  if (base.empty() || *least == *most) return;
  const auto exact = [](const std::vector<double>& numbers) {
    std::vector<statistics::Between> exactly;
    for (const double number : numbers) exactly.push_back({number, number});
    return exactly;
  };
  // paired_ratio() returns how many times as long as its second argument the first one took.
  const auto interval = statistics::paired_ratio(exact(own), exact(base));
  if (!interval) return;
  judgement.low = interval->low;
  judgement.high = interval->high;
}

/// The readings of one method, one for each seed.
std::vector<Reading> readings_of(const std::string& label, const Gate& gate,
                                 const std::string& link, const RunResult& run) {
  const auto target = target_of(gate, run.scenario).value_or(Target{});
  const bool has_evaluations = may_evaluate(run.scenario);
  std::vector<Reading> readings;
  for (const std::int64_t seed : run.scenario.at("seeds")) {
    const auto* cell = find_cell(run, label, link, seed);
    readings.push_back(cell == nullptr
                           ? Reading{{}, fmt::format("seed {} of {} was not run", seed, label)}
                           : reading(*cell, gate, target, has_evaluations));
  }
  return readings;
}

/// The values of readings that all have one.
std::vector<double> values_of(const std::vector<Reading>& readings) {
  std::vector<double> values;
  for (const auto& one : readings) values.push_back(one.value.value());
  return values;
}

Judgement judged(const Gate& gate, const std::string& link, const RunResult& run) {
  Judgement judgement{gate, link, Finding::kInconclusive, {}, {}, {}, 0, ""};
  const auto of_method = readings_of(gate.method, gate, link, run);
  // A cell that failed breaks the gate, whatever is missing.
  for (const auto& one : of_method) {
    if (!one.has_failed) continue;
    judgement.finding = Finding::kBroken;
    judgement.why = one.why;
    return judgement;
  }
  const auto of_other =
      gate.over ? readings_of(*gate.over, gate, link, run) : std::vector<Reading>{};
  for (const auto* readings : {&of_method, &of_other}) {
    for (const auto& one : *readings) {
      if (one.value) continue;
      judgement.why = one.why;
      return judgement;
    }
  }
  const auto own = values_of(of_method);
  const auto base = values_of(of_other);
  judgement.seeds = own.size();
  const auto never = [](double value) { return value == kNever; };
  const auto none = [](double value) { return value <= 0; };
  if (std::ranges::any_of(base, never)) {
    judgement.why = fmt::format("{} missed the target with at least one seed", *gate.over);
  } else if (std::ranges::any_of(own, never)) {
    judgement.finding = Finding::kBroken;
    judgement.why = fmt::format("{} missed the target with at least one seed", gate.method);
  } else if (std::ranges::any_of(own, none) || std::ranges::any_of(base, none)) {
    judgement.why = fmt::format("{} is 0 in a cell", word_of(gate.metric));
  } else {
    measure(judgement, own, base);
    decide(judgement);
  }
  return judgement;
}

}  // namespace

std::vector<Judgement> judge(const std::string& source, const RunResult& run,
                             const std::vector<Gate>& gates) {
  if (const auto issues = gate_issues(gates, run.scenario); !issues.empty()) {
    throw ConfigError{source, issues};
  }
  std::vector<Judgement> judgements;
  for (const auto& gate : gates) {
    for (const auto& link : link_names(run.scenario)) {
      if (gate.link && *gate.link != link) continue;
      judgements.push_back(judged(gate, link, run));
    }
  }
  return judgements;
}

}  // namespace pacbench::gates
