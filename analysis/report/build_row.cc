#include "analysis/report/build.h"

#include <algorithm>
#include <functional>
#include <map>

#include "contract/catalogue/method_entry.h"
#include "contract/result/mask_overlap.h"
#include "contract/result/result.h"

namespace pacbench::report {
namespace {

using Cells = std::vector<const CellResult*>;

bool is_done(const CellResult& cell) { return cell.status == CellStatus::kDone; }
bool is_failed(const CellResult& cell) { return cell.status == CellStatus::kFailed; }

/// The spread of a number, a member or a function of a cell, over the done cells that have it.
template <typename Number>
std::optional<statistics::Spread> spread_of(const Cells& cells, const Number& number) {
  std::vector<double> values;
  for (const auto* cell : cells) {
    if (!is_done(*cell)) continue;
    if (const std::optional<double> value = std::invoke(number, *cell)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional{statistics::spread(values)};
}

std::optional<double> ratio_of(double part, double whole) {
  return whole > 0 ? std::optional{part / whole} : std::nullopt;
}

std::optional<statistics::Spread> share_of_step(const Cells& cells, double CellResult::*member) {
  return spread_of(cells, [&](const CellResult& cell) {
    return ratio_of(cell.*member, cell.time_per_iteration_s);
  });
}

/// Joins the two ends of an interval that was found from the scatter of one cell's steps. Returns
/// nothing when an end is absent, or when the lower end is 0.
std::optional<Ends> of_steps(const std::optional<double>& low_s,
                             const std::optional<double>& high_s) {
  if (!low_s || !high_s || *low_s <= 0) return std::nullopt;
  return Ends{*low_s, *high_s};
}

const CellResult* only_done(const Cells& cells) {
  return cells.size() == 1 && is_done(*cells.front()) ? cells.front() : nullptr;
}

TargetSummary summarise_target(const Cells& cells, const Target& wanted,
                               const RowContext& context) {
  TargetSummary summary;
  summary.target = wanted;
  if (!context.learned) return summary;
  TimesOfSeeds of_seeds;
  std::vector<std::optional<double>> times;
  std::vector<std::optional<double>> iterations;
  std::vector<std::optional<double>> beyond;
  for (const auto* cell : cells) {
    const auto* target = find_target(*cell, wanted);
    // A cell that failed, such as one that diverged, counts as DNF: it must not look better than a
    // slow one.
    if (!is_failed(*cell) && (!is_done(*cell) || target == nullptr)) continue;
    for (auto* values : {&times, &iterations, &beyond}) values->emplace_back();
    of_seeds[cell->seed] = std::nullopt;
    if (is_failed(*cell) || !target->iterations) continue;
    times.back() = of_seeds[cell->seed] = target->tta_s;
    iterations.back() = static_cast<double>(*target->iterations);
    beyond.back() = *target->tta_s - *iterations.back() * step_time_s(*cell);
  }
  summary.iterations = statistics::censored_spread(iterations);
  if (!context.timed) return summary;
  summary.tta_s = statistics::censored_spread(times);
  summary.tta_interval_s = statistics::median_interval(times);
  if (const auto* cell = only_done(cells)) {
    const auto* target = find_target(*cell, wanted);
    if (target != nullptr) summary.tta_of_steps_s = of_steps(target->tta_low_s, target->tta_high_s);
  }
  summary.beyond_s = statistics::censored_spread(beyond);
  summary.tta_s_of_seeds = std::move(of_seeds);
  return summary;
}

/// The worse of two words of the machine's verdict.
std::string worse(const std::string& one, const std::string& other) {
  for (const char* word : {"disturbed", "unknown", "ok"}) {
    if (one == word || other == word) return word;
  }
  return "";
}

/// The training time beyond iterations × median step, at least 0: pruning, agreement on masks, and
/// steps longer than the median.
double overhead_s(const CellResult& cell) {
  return std::max(0.0, cell.training_s - static_cast<double>(cell.iterations) * step_time_s(cell));
}

/// Samples per second, from the mean time of an iteration. A cell's own `samples_per_s` is from the
/// median time, so their product is the number of samples in an iteration.
std::optional<double> samples_per_s(const CellResult& cell) {
  return ratio_of(cell.samples_per_s * cell.time_per_iteration_s, mean_iteration_s(cell));
}

/// The share of the link's rate that a row uses. It is capped at 1, since tokens that an idle link
/// saved up let one burst through at once.
std::optional<statistics::Spread> link_use_of(const Cells& cells, double rate_mbit) {
  return spread_of(cells, [&](const CellResult& cell) -> std::optional<double> {
    if (!cell.wire_mbit) return std::nullopt;
    return std::min(1.0, *cell.wire_mbit / rate_mbit);
  });
}

void fill_times(ReportRow& row, const Cells& cells, const std::optional<double>& steady_mbit) {
  row.time_per_iteration_s = spread_of(cells, step_time_s);
  row.median_step_s = spread_of(cells, &CellResult::time_per_iteration_s);
  if (const auto* cell = only_done(cells); cell != nullptr && cell->period.value_or(1) == 1) {
    row.time_of_steps_s = of_steps(cell->time_per_iteration_low_s, cell->time_per_iteration_high_s);
  }
  row.mean_iteration_s = spread_of(cells, mean_iteration_s);
  row.samples_per_s = spread_of(cells, samples_per_s);
  row.compute_s = spread_of(cells, &CellResult::compute_s);
  row.exposed_s = spread_of(cells, &CellResult::exposed_s);
  row.encode_s = spread_of(cells, &CellResult::encode_s);
  row.wire_s = spread_of(cells, &CellResult::wire_s);
  row.late_s = spread_of(cells, &CellResult::late_s);
  row.taken_share = spread_of(cells, &CellResult::taken_share);
  row.overlap = spread_of(cells, &CellResult::overlap);
  row.compute_share = share_of_step(cells, &CellResult::compute_s);
  row.encode_share = share_of_step(cells, &CellResult::encode_s);
  row.exposed_share = share_of_step(cells, &CellResult::exposed_s);
  if (steady_mbit) row.link_use = link_use_of(cells, *steady_mbit);
  row.measured_bytes_per_iteration = spread_of(cells, &CellResult::measured_bytes_per_iteration);
  row.explained_bytes_per_iteration = spread_of(cells, &CellResult::explained_bytes_per_iteration);
  row.trunk_bytes_per_iteration = spread_of(cells, &CellResult::trunk_bytes_per_iteration);
  row.busiest_link_bytes_per_iteration =
      spread_of(cells, &CellResult::busiest_link_bytes_per_iteration);
  row.pruning_s = spread_of(cells, &CellResult::pruning_s);
  row.overhead_s = spread_of(cells, overhead_s);
}

/// The largest number of runs that measured one cell.
int runs_of(const Cells& sound) {
  std::map<std::int64_t, int> of_seed;
  for (const auto* cell : sound) ++of_seed[cell->seed];
  int most = 0;
  for (const auto& [seed, runs] : of_seed) most = std::max(most, runs);
  return most;
}

std::optional<Ends> ends_of(const std::vector<double>& times_s) {
  if (times_s.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(times_s.begin(), times_s.end());
  return Ends{*least, *most};
}

/// Fills in the number of sound runs of the same cells and, with several, the ranges of their
/// times.
void fill_runs(ReportRow& row, Cells repeats) {
  std::erase_if(repeats, [](const CellResult* cell) { return !is_sound(*cell); });
  row.runs = std::max(1, runs_of(repeats));
  if (row.runs == 1) return;
  std::vector<double> steps_s;
  for (const auto* cell : repeats) steps_s.push_back(step_time_s(*cell));
  row.time_of_runs_s = ends_of(steps_s);
  for (auto& summary : row.targets) {
    std::vector<double> times_s;
    for (const auto* cell : repeats) {
      const auto* target = find_target(*cell, summary.target);
      if (target != nullptr && target->tta_s) times_s.push_back(*target->tta_s);
    }
    summary.tta_of_runs_s = ends_of(times_s);
  }
}

std::optional<double> mask_overlap_of(const Cells& cells) {
  std::vector<double> overlaps;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& one = cells[i]->mask_sample;
      const auto& other = cells[j]->mask_sample;
      if (!is_done(*cells[i]) || !is_done(*cells[j])) continue;
      if (one.empty() || one.size() != other.size() || cells[i]->seed == cells[j]->seed) continue;
      overlaps.push_back(sample_overlap(one, other));
    }
  }
  return overlaps.empty() ? std::nullopt : std::optional{statistics::median(overlaps)};
}

void fill_exchanges(ReportRow& row, const Cells& cells) {
  row.iterations_run =
      spread_of(cells, [](const CellResult& cell) { return static_cast<double>(cell.iterations); });
  row.vnmse = spread_of(cells, &CellResult::vnmse);
  row.cosine = spread_of(cells, &CellResult::cosine);
  row.density = spread_of(cells, &CellResult::density);
  row.residual_norm = spread_of(cells, &CellResult::residual_norm);
  row.expected_bytes_per_iteration = spread_of(cells, &CellResult::expected_bytes_per_iteration);
  row.payload_bytes_per_iteration = spread_of(cells, &CellResult::payload_bytes_per_iteration);
  row.kept_fraction = spread_of(cells, &CellResult::kept_fraction);
  row.compacted_from = spread_of(cells, &CellResult::compacted_from);
  row.dense_share = spread_of(cells, &CellResult::dense_share);
  row.mask_overlap = mask_overlap_of(cells);
}

/// Removes the numbers that a program of the user's own does not report: they are unknown, not
/// zero.
void forget_what_workers_tell(ReportRow& row) {
  for (const auto member :
       {&ReportRow::samples_per_s, &ReportRow::compute_s, &ReportRow::exposed_s,
        &ReportRow::encode_s, &ReportRow::wire_s, &ReportRow::overlap, &ReportRow::compute_share,
        &ReportRow::encode_share, &ReportRow::exposed_share, &ReportRow::pruning_s,
        &ReportRow::kept_fraction, &ReportRow::expected_bytes_per_iteration,
        &ReportRow::payload_bytes_per_iteration}) {
    (row.*member).reset();
  }
}

/// Whether a cell's steps until a target would take longer than it took, by more than the steps
/// from one evaluation to the next.
bool contradicts(const CellResult& cell, std::int64_t evaluate_every) {
  return std::ranges::any_of(cell.targets, [&](const TargetResult& target) {
    if (!is_done(cell) || !target.tta_s) return false;
    const auto steps = static_cast<double>(*target.iterations - evaluate_every);
    return steps * step_time_s(cell) > *target.tta_s;
  });
}

constexpr const char* kOtherSteps =
    "the iterations that were exchanged are others than those of the training, such as a warm-up; "
    "times to accuracy count each iteration by its bytes, but no step is given";

}  // namespace

ReportRow build_row(const Json& method, const Cells& cells, const Cells& repeats,
                    const RowContext& context) {
  ReportRow row;
  row.label = method.at("label");
  row.method = method.at("name");
  row.tried = method.value("tried", std::int64_t{1});
  for (const auto* cell : cells) {
    row.seeds.push_back(cell->seed);
    row.every = std::max(row.every, static_cast<std::int64_t>(cell->period.value_or(1)));
    ++(is_done(*cell) ? row.done : is_failed(*cell) ? row.failed : row.unfinished);
    row.suspect |= cell->link_verdict.word != "ok";
    row.cpu_bound |= cell->host_verdict.word != "ok";
    if (cell->machine_verdict) row.machine = worse(row.machine, cell->machine_verdict->word);
    row.attempts = std::max(row.attempts, static_cast<std::int64_t>(cell->attempts.value_or(1)));
    row.stopped_at_target |= cell->stopped_at_target;
  }
  std::ranges::sort(row.seeds);
  for (const auto& target : context.targets) {
    row.targets.push_back(summarise_target(cells, target, context));
  }
  if (context.timed) fill_times(row, cells, context.steady_mbit);
  if (context.timed) fill_runs(row, repeats);
  if (context.learned) {
    row.final_accuracy = spread_of(cells, &CellResult::final_accuracy);
    row.best_accuracy = spread_of(cells, &CellResult::best_accuracy);
    row.final_loss = spread_of(cells, &CellResult::final_loss);
    row.best_loss = spread_of(cells, &CellResult::best_loss);
  }
  fill_exchanges(row, cells);
  row.notes = row_notes(cells, row, context.timed);
  row.step_is_other =
      context.composed_every > 0 && std::ranges::any_of(cells, [&](const CellResult* cell) {
        return contradicts(*cell, context.composed_every);
      });
  if (row.step_is_other) row.notes.emplace_back(kOtherSteps);
  if (row.method == kProgramMethod) {
    forget_what_workers_tell(row);
    if (context.steady_mbit) {
      row.least_wire_s = spread_of(cells, [&](const CellResult& cell) {
        return cell.measured_bytes_per_iteration * 8e-6 / *context.steady_mbit;
      });
    }
  }
  return row;
}

void forget_step(ReportRow& row) {
  for (const auto member :
       {&ReportRow::time_per_iteration_s, &ReportRow::samples_per_s, &ReportRow::compute_s,
        &ReportRow::exposed_s, &ReportRow::encode_s, &ReportRow::wire_s, &ReportRow::late_s,
        &ReportRow::overlap, &ReportRow::compute_share, &ReportRow::encode_share,
        &ReportRow::exposed_share, &ReportRow::link_use, &ReportRow::overhead_s,
        &ReportRow::measured_bytes_per_iteration, &ReportRow::expected_bytes_per_iteration,
        &ReportRow::explained_bytes_per_iteration, &ReportRow::payload_bytes_per_iteration,
        &ReportRow::trunk_bytes_per_iteration, &ReportRow::busiest_link_bytes_per_iteration}) {
    (row.*member).reset();
  }
  row.time_of_steps_s.reset();
  row.time_of_runs_s.reset();
  for (auto& target : row.targets) target.beyond_s = {};
}

}  // namespace pacbench::report
