#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/merge.h"
#include "harness/statistics/spread.h"
#include "spec/result.h"

namespace pacbench {

/// One accuracy target of one method over one link.
struct TargetSummary {
  double accuracy = 0;
  CensoredSpread tta_s;
  CensoredSpread iterations;
  std::optional<double> speed_up_all_reduce;  ///< ratio of median TTA, see docs/METRICS.md
  std::optional<double> speed_up_fp16;
};

/// One method over one link, all seeds together. Costs and accuracies are those of done cells;
/// they are absent when there is none, and those of time in mode learn, where nothing is timed.
struct ReportRow {
  std::string label;
  std::string method;
  std::vector<std::int64_t> seeds;  ///< of all its cells
  int done = 0;
  int failed = 0;        ///< count as DNF
  int unfinished = 0;    ///< skipped or interrupted: tell nothing about times
  bool suspect = false;  ///< a cell's link was not what was declared: no speed-up, for or against
  bool cpu_bound = false;
  bool stopped_at_target = false;
  std::vector<TargetSummary> targets;
  std::optional<Spread> time_per_iteration_s;
  std::optional<Spread> samples_per_s;
  std::optional<Spread> compute_s;
  std::optional<Spread> exposed_s;
  std::optional<Spread> encode_s;
  std::optional<Spread> wire_s;
  std::optional<Spread> overlap;
  std::optional<Spread> vnmse;
  std::optional<Spread> cosine;
  std::optional<Spread> residual_norm;
  std::optional<Spread> final_accuracy;
  std::optional<Spread> best_accuracy;
  std::optional<Spread> measured_bytes_per_iteration;
  std::optional<Spread> expected_bytes_per_iteration;
  std::optional<Spread> payload_bytes_per_iteration;
  std::optional<Spread> pruning_s;
  std::optional<Spread> kept_fraction;
  std::optional<Spread> compacted_from;
  std::optional<Spread> dense_share;
  std::optional<Spread> overhead_s;    ///< training clock beyond median steps
  std::optional<double> mask_overlap;  ///< of different seeds' masks, median over pairs
  std::vector<std::string> notes;      ///< what a reader must know of this row, in words
};

/// Two rows may be held against each other when both are whole, over the same seeds, and ran on
/// the links that were declared.
bool comparable(const ReportRow& one, const ReportRow& other);

struct LinkReport {
  std::string link;
  std::string words;            ///< what it is; empty in mode learn
  double rate_mbit = 0;         ///< of its slower direction; 0 in mode learn
  std::vector<ReportRow> rows;  ///< in the scenario's order of methods
  /// Goodput over what the rate carries, of the worst flow of all probes; absent without any.
  std::optional<double> probe{};
};

/// What one mode and workload gave: runs that differ in no more than name, seeds, methods and
/// targets, as one.
struct ReportSection {
  std::string title;               ///< what it is, and what tells it from the others of its report
  std::string name;                ///< of its scenario, or of each of them
  std::vector<std::string> files;  ///< the result.json that its cells came from
  std::string mode;
  std::string comparison_hash;
  Json scenario;
  std::vector<std::int64_t> seeds;
  std::vector<LinkReport> links;
  std::optional<Spread> pretrain_s;  ///< before the clock, once for all methods; absent when none
  std::vector<std::string> notes;    ///< about the section as a whole
};

/// Everything that a report shows, computed once and then written as text, Markdown or JSON.
/// Modes and workloads are never in one table: each has a section.
struct Report {
  static constexpr const char* kFormat = "pacbench.report/2";

  std::string name;  ///< of all its sections
  std::vector<ReportSection> sections;
};

/// One section for each of `groups`, in their order; there must be one.
Report build_report(const std::vector<MergedRuns>& groups);

bool is_timed(const ReportSection& section);

/// The tables of a terminal are at most this wide, as far as the numbers allow.
constexpr std::size_t kReportWidth = 140;

/// The report for a terminal of `columns`, as Markdown, and for programs.
std::string render_text(const Report& report, std::size_t columns = kReportWidth);
std::string render_markdown(const Report& report);
Json to_json(const Report& report);

/// The tables of one run as text for a terminal.
std::string render_text(const RunResult& result, std::size_t columns = kReportWidth);

}  // namespace pacbench
