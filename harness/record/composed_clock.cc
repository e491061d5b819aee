#include "harness/record/composed_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "contract/scenario/compose.h"
#include "harness/record/quiet_steps.h"

namespace pacbench::record {
namespace {

using Step = CellRecord::Step;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// An estimate of the wire time of one further byte; 0 when no iteration sent anything. Groups the
/// iterations by bytes sent, divides each group's mean wire time by its bytes, and returns the
/// smallest quotient. Small messages give larger quotients, since most of their time is latency,
/// which further bytes do not add again.
double least_s_per_byte(const std::vector<Step>& measured) {
  std::map<std::int64_t, std::vector<double>> wire_s;
  for (const auto& step : measured) wire_s[step.expected_sent_bytes].push_back(step.wire_s);
  std::optional<double> least;
  for (const auto& [sent_bytes, all_s] : wire_s) {
    if (sent_bytes == 0) continue;
    const double s_per_byte = mean(all_s) / static_cast<double>(sent_bytes);
    least = std::min(s_per_byte, least.value_or(s_per_byte));
  }
  return least.value_or(0);
}

/// The seconds of all pruning that comes before the end of an iteration.
double pruned_s(const std::vector<PruningStep>& pruning, std::int64_t iteration) {
  double sum_s = 0;
  for (const auto& step : pruning) sum_s += step.after < iteration ? step.seconds : 0;
  return sum_s;
}

/// The measured steps on a clock that stopped while this cell pruned.
std::vector<Step> without(const std::vector<PruningStep>& pruning, std::vector<Step> measured) {
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i].clock_s -= pruned_s(pruning, static_cast<std::int64_t>(i) + 1);
  }
  return measured;
}

}  // namespace

void ComposedClock::Alike::redraw(statistics::Random& random) {
  const statistics::BlockBootstrap lengths{lengths_s, mean, random};
  const statistics::BlockBootstrap least{least_s, mean, random};
  redrawn_s = lengths.values();
  least_redrawn_s = least.values();
  blocks = std::min(lengths.blocks(), least.blocks());
}

ComposedClock::ComposedClock(const std::vector<Step>& measured,
                             const std::vector<AlikeIterations>& training,
                             std::vector<PruningStep> pruning)
    : training_{training}, pruning_{std::move(pruning)} {
  if (std::ssize(measured) < kLeastComposed || training.empty()) {
    throw std::invalid_argument{
        "a composed clock needs at least 4 measured iterations, and the iterations of a training"};
  }
  first_s_ = measured.front().clock_s;
  first_late_s_ = measured.front().late_s;
  for (std::size_t i = 1; i < measured.size(); ++i) {
    auto& alike = alike_[measured[i].expected_sent_bytes];
    const auto length_s = measured[i].clock_s - measured[i - 1].clock_s;
    alike.lengths_s.push_back(length_s);
    alike.least_s.push_back(length_s - measured[i].late_s);
  }
  const auto most_bytes =
      std::ranges::max_element(training, {}, &AlikeIterations::sent_bytes)->sent_bytes;
  if (most_bytes > 0 && alike_.rbegin()->first == 0) {
    throw std::runtime_error{
        fmt::format("after the first of the {} iterations that crossed the links, none sent "
                    "anything; but iterations of the training send {} bytes, and the time for them "
                    "was not measured: raise /compose/iterations or /compose/cell_s",
                    measured.size(), most_bytes)};
  }
  statistics::Random random{1};
  for (auto& [sent_bytes, alike] : alike_) {
    alike.mean_s = mean(alike.lengths_s);
    alike.redraw(random);
  }
  s_per_byte_ = least_s_per_byte(measured);
}

std::int64_t ComposedClock::nearest(std::int64_t sent_bytes) const {
  const auto distance = [sent_bytes](const auto& alike) {
    return std::abs(alike.first - sent_bytes);
  };
  // Iterations that sent nothing do not show how long bytes take, so they are skipped.
  const bool skip_silent = sent_bytes > 0 && alike_.begin()->first == 0;
  const auto from = skip_silent ? std::next(alike_.begin()) : alike_.begin();
  return std::ranges::min_element(from, alike_.end(), {}, distance)->first;
}

void ComposedClock::add(std::int64_t iterations, std::int64_t sent_bytes, Sum& sum) const {
  const auto known = nearest(sent_bytes);
  const auto times = static_cast<double>(iterations);
  sum.iterations[known] += times;
  sum.fixed_s += times * static_cast<double>(sent_bytes - known) * s_per_byte_;
}

ComposedClock::Sum ComposedClock::sum_until(std::int64_t iteration) const {
  Sum sum;
  if (iteration < 1) return sum;
  sum.fixed_s = first_s_ + pruned_s(pruning_, iteration);
  sum.late_s = first_late_s_;
  std::int64_t done = 0;  // of the training; `first_s_` is the time of the first
  for (const auto& [iterations, sent_bytes] : training_) {
    const auto until = std::min(done + iterations, iteration);
    const auto from = std::max<std::int64_t>(done, 1);
    if (until > from) add(until - from, sent_bytes, sum);
    done += iterations;
  }
  done = std::max<std::int64_t>(done, 1);
  if (iteration > done) add(iteration - done, training_.back().sent_bytes, sum);
  return sum;
}

double ComposedClock::at(std::int64_t iteration) const {
  const auto sum = sum_until(iteration);
  double clock_s = sum.fixed_s;
  for (const auto& [sent_bytes, iterations] : sum.iterations) {
    clock_s += iterations * alike_.at(sent_bytes).mean_s;
  }
  return clock_s;
}

std::vector<double> ComposedClock::drawn_clocks_s(const Sum& sum,
                                                  std::vector<double> Alike::*redrawn) const {
  std::vector<double> clocks_s(statistics::BlockBootstrap::kDraws, sum.fixed_s);
  for (const auto& [sent_bytes, iterations] : sum.iterations) {
    const auto& means_s = alike_.at(sent_bytes).*redrawn;
    for (std::size_t i = 0; i < clocks_s.size(); ++i) clocks_s[i] += iterations * means_s[i];
  }
  return clocks_s;
}

statistics::KnownEnds ComposedClock::interval(std::int64_t iteration) const {
  const auto sum = sum_until(iteration);
  // middle_95 takes one number of blocks: that of the group with the most iterations in `sum`.
  const auto most =
      std::ranges::max_element(sum.iterations, {}, [](const auto& group) { return group.second; });
  const auto blocks = most == sum.iterations.end() ? 1 : alike_.at(most->first).blocks;
  const auto low =
      statistics::middle_95(drawn_clocks_s(sum, &Alike::least_redrawn_s), blocks).low - sum.late_s;
  return {std::max(0.0, low),
          statistics::middle_95(drawn_clocks_s(sum, &Alike::redrawn_s), blocks).high};
}

std::vector<PruningStep> pruning_elsewhere(const Scenario& scenario, const CellRecord& record) {
  if (!scenario.compose || !record.training()) return {};
  auto steps = record.training()->pruning;
  if (!replays_exchanges(*scenario.compose)) {
    std::erase_if(steps, [&](const PruningStep& step) { return step.after < record.iterations(); });
    return steps;
  }
  const auto& assumption = scenario.compose->profile.assumption;
  const auto factor = assumption ? assumption->compute_factor.value_or(1) : 1;
  for (auto& step : steps) step.seconds *= factor;
  return steps;
}

ComposedClock composed_clock(const Scenario& scenario, const CellRecord& record) {
  auto pruning = record.pruning();
  for (const auto& step : pruning_elsewhere(scenario, record)) pruning.push_back(step);
  const QuietSteps quiet{without(record.pruning(), record.steps()), record.machine(),
                         record.limits()};
  return {quiet.steps(), record.training().value_or(Training{}).iterations, std::move(pruning)};
}

std::vector<EvaluationEvent> timed(std::vector<EvaluationEvent> evaluations,
                                   const Scenario& scenario, const CellRecord& record) {
  const auto clock = composed_clock(scenario, record);
  for (auto& evaluation : evaluations) evaluation.training_s = clock.at(evaluation.iteration);
  return evaluations;
}

}  // namespace pacbench::record
