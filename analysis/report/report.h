#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/merge.h"
#include "analysis/report/row.h"
#include "contract/result/result.h"

namespace pacbench::report {

struct LinkReport {
  std::string link;
  std::string words;            ///< describes the link; empty in mode learn
  double rate_mbit = 0;         ///< rate of the slower direction; 0 in mode learn
  std::vector<ReportRow> rows;  ///< in the scenario's order of methods
  /// Goodput over what the rate carries, of the worst flow of all probes; absent without any.
  std::optional<double> probe{};
};

/// The joined results of one mode and workload: the runs differ only in name, seeds, methods and
/// targets.
struct ReportSection {
  std::string title;               ///< what was run, and how it differs from the other sections
  std::string name;                ///< name of its scenario, or of all its scenarios
  std::vector<std::string> files;  ///< the result.json that its cells came from
  Mode mode = Mode::kEmulate;
  std::string comparison_hash;
  Json scenario;
  std::vector<std::int64_t> seeds;
  std::vector<LinkReport> links;
  std::optional<statistics::Spread>
      pretrain_s;                  ///< before the clock, once for all methods; absent when none
  std::vector<std::string> notes;  ///< about the section as a whole
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

/// The time that the bytes of a step need at the link's rate. No number of cores makes a step
/// shorter. Where the links are between switches, these are the bytes that crossed them. Absent
/// where the rate moves, differs between workers or is shared with a load.
std::optional<double> least_wire_s(const LinkReport& link, const ReportRow& row);

/// The tables of a terminal are at most this wide, as far as the numbers allow.
constexpr std::size_t kReportWidth = 140;

/// The report for a terminal of `columns`, as Markdown, as a LaTeX document with booktabs, and for
/// programs: CSV by RFC 4180, one line for each method, link and target, and JSON with its schema.
std::string render_text(const Report& report, std::size_t columns = kReportWidth);
std::string render_markdown(const Report& report);
std::string render_latex(const Report& report);
std::string render_csv(const Report& report);
Json to_json(const Report& report);
Json report_schema();

/// The tables of one run as text for a terminal.
std::string render_text(const RunResult& result, std::size_t columns = kReportWidth);

}  // namespace pacbench::report
