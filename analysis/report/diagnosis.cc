#include "analysis/report/build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "analysis/report/words.h"
#include "contract/catalogue/method_entry.h"
#include "harness/text/table.h"

namespace pacbench::report {
namespace {

/// A row, and a baseline that reached a target. Both have done cells and times. The rules below ask
/// why the row reached this target later than the baseline, or not at all.
struct Contest {
  const ReportRow& row;
  const ReportRow& base;
  std::size_t index = 0;  ///< of the target
  int workers = 0;

  const TargetSummary& target() const { return row.targets[index]; }
  const TargetSummary& base_target() const { return base.targets[index]; }
  /// Time per iteration / the baseline's.
  double step_ratio() const {
    return row.time_per_iteration_s->median / base.time_per_iteration_s->median;
  }
  /// Iterations to the target / the baseline's; absent for a DNF.
  std::optional<double> iterations_ratio() const {
    const auto& own = target().iterations.median;
    const auto& others = base_target().iterations.median;
    if (!own || !others || *others <= 0) return std::nullopt;
    return *own / *others;
  }
};

// The share of the baseline's step by which steps or times on the wire must differ to matter.
constexpr double kGain = 0.05;
// The share of the baseline's step by which encoding must take longer to matter.
constexpr double kEncoding = 0.05;
// A method is said to gather when it sends at least this many times the bytes that a ring
// all-reduce of its own payload sends.
constexpr double kGathers = 1.25;
constexpr double kIdleLink = 0.5;
// The share of the baseline's link use below which a method is said to use the link worse.
constexpr double kWorseUse = 0.9;
constexpr double kMoreBytes = 1.05;
constexpr double kMoreIterations = 1.05;
constexpr double kDense = 0.25;
constexpr double kBeyondSteps = 0.1;

/// Whether the step is faster than the baseline's by more than kGain: then the cost of an exchange
/// cannot explain why the method loses.
bool step_gains(const Contest& contest) { return contest.step_ratio() < 1 - kGain; }

std::string in_ms(double time_s) { return significant(time_s * 1e3); }

/// Names the scatter of seeds as a cause where the speed-up may also be 1: then no other cause need
/// exist.
std::optional<Cause> within_spread(const Contest& contest) {
  const auto& speed_up = contest.base.method == "all-reduce" ? contest.target().speed_up_all_reduce
                                                             : contest.target().speed_up_fp16;
  if (!speed_up || contest.row.seeds.size() < 2) return std::nullopt;
  const auto& ends = speed_up->interval ? *speed_up->interval : speed_up->range;
  if (ends.high && *ends.high < 1) return std::nullopt;
  return Cause{
      "within-spread",
      fmt::format("its speed-up over {} lies between {} and {} ({}), so it may not lose at all",
                  contest.base.label, ends.low ? significant(*ends.low) : "DNF",
                  ends.high ? significant(*ends.high) : "DNF",
                  speed_up->interval ? "95 % interval" : "range over the seeds")};
}

std::optional<Cause> cpu_bound(const Contest& contest) {
  if (step_gains(contest)) return std::nullopt;
  if (contest.row.cpu_bound) {
    return Cause{"cpu-bound", "computing on this host, not the link, set its step time"};
  }
  const double encode_s = contest.row.encode_s->median - contest.base.encode_s->median;
  const double wire_s = contest.row.wire_s->median - contest.base.wire_s->median;
  const bool matters = encode_s >= kEncoding * contest.base.time_per_iteration_s->median;
  if (!matters || encode_s <= std::abs(wire_s)) return std::nullopt;
  return Cause{
      "cpu-bound",
      fmt::format(
          "encoding takes {} ms an iteration more than with {}, and the wire takes {} ms {}",
          in_ms(encode_s), contest.base.label, in_ms(std::abs(wire_s)),
          wire_s < 0 ? "less" : "more")};
}

std::optional<Cause> all_gather(const Contest& contest) {
  if (step_gains(contest) || contest.row.wire_s->median < contest.base.wire_s->median) {
    return std::nullopt;
  }
  const double payload = contest.row.payload_bytes_per_iteration->median;
  const double ring_share = 2.0 * (contest.workers - 1) / contest.workers;
  if (payload <= 0) return std::nullopt;
  const double sent = contest.row.expected_bytes_per_iteration->median;
  const double times = sent / (payload * ring_share);
  if (times < kGathers) return std::nullopt;
  return Cause{"all-gather",
               fmt::format("{} MB of payload become {} MB on each link, {} times as much as with "
                           "an all-reduce, because the payload of each rank goes to all {} others",
                           significant(payload * 1e-6), significant(sent * 1e-6),
                           significant(times), contest.workers - 1)};
}

std::optional<Cause> latency_bound(const Contest& contest) {
  if (step_gains(contest) || !contest.row.link_use) return std::nullopt;
  const double use = contest.row.link_use->median;
  if (use >= kIdleLink) return std::nullopt;
  return Cause{"latency-bound",
               fmt::format("its bytes need only {} % of the time that its collectives are under "
                           "way; the rest is waiting, such as for round trips, for a CPU or for "
                           "other workers; larger buckets mean fewer collectives",
                           significant(100 * use))};
}

/// Names low link use as a cause: the wire takes longer than the baseline's, and meanwhile the
/// bytes fill a smaller share of the link's rate.
std::optional<Cause> low_utilisation(const Contest& contest) {
  const auto& row = contest.row;
  const auto& base = contest.base;
  if (step_gains(contest) || !row.link_use || !base.link_use) return std::nullopt;
  const double use = row.link_use->median;
  if (use < kIdleLink || use > kWorseUse * base.link_use->median) return std::nullopt;
  const double longer_s = row.wire_s->median - base.wire_s->median;
  if (longer_s < kGain * base.time_per_iteration_s->median) return std::nullopt;
  return Cause{"low-utilisation",
               fmt::format("its collectives are under way {} ms longer than those of {}; its bytes "
                           "need {} % of the time under way, and the baseline's bytes {} %: "
                           "messages queue at a trunk or a receiver, or wait for each other",
                           in_ms(longer_s), base.label, significant(100 * use),
                           significant(100 * base.link_use->median))};
}

/// Finds that the method sends more than the baseline, for another reason than an all-gather.
std::optional<Cause> more_bytes(const Contest& contest) {
  const double sent = contest.row.expected_bytes_per_iteration->median;
  const double base_sent = contest.base.expected_bytes_per_iteration->median;
  const double longer_s = contest.row.wire_s->median - contest.base.wire_s->median;
  const bool matters = longer_s >= kGain * contest.base.time_per_iteration_s->median;
  if (step_gains(contest) || !matters || all_gather(contest)) return std::nullopt;
  if (base_sent <= 0 || sent < kMoreBytes * base_sent) return std::nullopt;
  return Cause{"more-bytes", fmt::format("it sends {} MB in an iteration, and {} sends {} MB",
                                         significant(sent * 1e-6), contest.base.label,
                                         significant(base_sent * 1e-6))};
}

std::optional<Cause> more_iterations(const Contest& contest) {
  const auto ratio = contest.iterations_ratio();
  if (!ratio) {
    std::string words = "half or more of its seeds never reach the target";
    if (contest.row.best_accuracy && contest.base.best_accuracy) {
      words += fmt::format(" (best accuracy {:.2f} %, {} {:.2f} %)",
                           100 * contest.row.best_accuracy->median, contest.base.label,
                           100 * contest.base.best_accuracy->median);
    }
    return Cause{"more-iterations", words};
  }
  if (*ratio < kMoreIterations) return std::nullopt;
  return Cause{"more-iterations",
               fmt::format("it needs {:g} iterations, and {} needs {:g}",
                           *contest.target().iterations.median, contest.base.label,
                           *contest.base_target().iterations.median)};
}

std::optional<Cause> unstable_mask(const Contest& contest) {
  const auto& dense = contest.row.dense_share;
  if (!dense || dense->median < kDense) return std::nullopt;
  return Cause{"unstable-mask", fmt::format("{} % of its exchanges were dense, because no mask "
                                            "was agreed",
                                            significant(100 * dense->median))};
}

std::optional<Cause> beyond_steps(const Contest& contest) {
  const auto& tta_s = contest.target().tta_s.median;
  const auto& beyond_s = contest.target().beyond_s.median;
  if (!tta_s || !beyond_s || *beyond_s < kBeyondSteps * *tta_s) return std::nullopt;
  return Cause{"beyond-steps",
               fmt::format("{} s of its TTA go to pruning, agreement on masks, and what steps took "
                           "longer than the median step",
                           significant(*beyond_s))};
}

/// Every rule of docs/METRICS.md ("Why a method loses") that applies, in the order of that table.
std::vector<Cause> causes_of(const Contest& contest) {
  std::vector<Cause> causes;
  for (const auto rule : {within_spread, cpu_bound, all_gather, more_bytes, latency_bound,
                          low_utilisation, more_iterations, unstable_mask, beyond_steps}) {
    if (auto cause = rule(contest)) causes.push_back(std::move(*cause));
  }
  return causes;
}

/// Pairs `row` with a baseline at the last target that any comparable baseline reached. Of two
/// baselines it takes the one that reached this target first. Nothing when no baseline reached any.
std::optional<Contest> contest_of(const std::vector<ReportRow>& rows, const ReportRow& row,
                                  int workers) {
  for (auto target = row.targets.size(); target-- > 0;) {
    const ReportRow* better = nullptr;
    for (const char* method : {"all-reduce", "fp16"}) {
      const auto* candidate = first_of(rows, method);
      if (candidate == nullptr || candidate == &row || !comparable(*candidate, row)) continue;
      if (candidate->step_is_other) continue;
      const auto& time = candidate->targets[target].tta_s.median;
      if (!time) continue;
      if (better == nullptr || *time < *better->targets[target].tta_s.median) better = candidate;
    }
    if (better != nullptr) return Contest{row, *better, target, workers};
  }
  return std::nullopt;
}

std::optional<Diagnosis> diagnose(const Contest& contest) {
  const auto& tta_s = contest.target().tta_s.median;
  const auto& base_tta_s = contest.base_target().tta_s.median;
  if (tta_s && *tta_s <= *base_tta_s) return std::nullopt;
  return Diagnosis{contest.base.label,
                   contest.target().target,
                   tta_s ? std::optional{*tta_s / *base_tta_s} : std::nullopt,
                   contest.step_ratio(),
                   contest.iterations_ratio(),
                   causes_of(contest)};
}

}  // namespace

void add_diagnoses(std::vector<ReportRow>& rows, int workers) {
  for (auto& row : rows) {
    // The rules need times and bytes that a program of the user's own does not tell.
    if (row.method == "all-reduce" || row.method == kProgramMethod || row.step_is_other) continue;
    if (const auto contest = contest_of(rows, row, workers)) row.diagnosis = diagnose(*contest);
  }
}

std::string diagnosis_words(const Diagnosis& diagnosis) {
  const auto target = words_of(diagnosis.target);
  auto words = diagnosis.tta_ratio
                   ? fmt::format("{} times the TTA of {} to {}", significant(*diagnosis.tta_ratio),
                                 diagnosis.against, target)
                   : fmt::format("DNF at {}, which {} reaches", target, diagnosis.against);
  words += fmt::format(" ({} × the time per iteration", significant(diagnosis.step_ratio));
  if (diagnosis.iterations_ratio) {
    words += fmt::format(", {} × the iterations", significant(*diagnosis.iterations_ratio));
  }
  std::vector<std::string> causes;
  for (const auto& cause : diagnosis.causes) {
    causes.push_back(fmt::format("{}: {}", cause.kind, cause.words));
  }
  if (causes.empty()) {
    causes.emplace_back(
        "no rule finds a cause; look at an iteration's timeline (pacbench export --to perfetto)");
  }
  return fmt::format("{}); {}", words, fmt::join(causes, "; "));
}

}  // namespace pacbench::report
