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
  /// Measured over expected goodput of the probed flow that is farthest from 1; absent without
  /// probes.
  std::optional<double> probe{};
};

/// The joined results of one mode and workload. The runs differ only in what compared_part() leaves
/// out, such as name, seeds, methods and targets.
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

/// The numbers and notes from which every format is written. Each mode and workload has a section,
/// with its own tables; only the table of scaling is made from several sections (scaling.h).
struct Report {
  static constexpr const char* kFormat = "pacbench.report/2";

  std::string name;  ///< the names of all its sections, joined
  std::vector<ReportSection> sections;
};

/// Builds a report with one section for each group, in their order. There must be at least one
/// group. Throws ConfigError naming a run whose scenario lacks keys that this version reads. Of
/// users' own programs alone, reads the recorded curves too, and throws what reading them throws.
Report build_report(const std::vector<MergedRuns>& groups);

/// Links that differ in nothing but their constant rate, slowest first, one link for each rate.
using RateSweep = std::vector<const LinkReport*>;

/// All sweeps of a section that have at least two rates.
std::vector<RateSweep> rate_sweeps(const ReportSection& section);

/// The seconds that the bytes of a step need at the link's rate. No number of cores makes a step
/// shorter than this. The bytes are the expected ones. Where there are links between switches, they
/// are half of the bytes that crossed such a link in both directions. Absent where the row has no
/// link_use, and where it has neither of these bytes.
std::optional<double> least_wire_s(const LinkReport& link, const ReportRow& row);

/// Unless a width is given, tables in text are at most this wide, as far as the numbers allow.
constexpr std::size_t kReportWidth = 140;

/// Render the report: as text for a terminal of `columns`, as Markdown, as a LaTeX document with
/// booktabs, and as one LaTeX table for each link, to be put into a paper. Its caption says what
/// was trained, over which links, with which seeds, in which mode, by which `version` of pacbench.
/// For programs there are JSON with its schema, and CSV by RFC 4180 with one line for each method,
/// link and target.
std::string render_text(const Report& report, std::size_t columns = kReportWidth);
std::string render_markdown(const Report& report);
std::string render_latex(const Report& report);
std::string render_latex_tables(const Report& report, const std::string& version);
std::string render_csv(const Report& report);
Json to_json(const Report& report);
Json report_schema();

/// The report for a terminal of `columns`: a sentence and one table for each link, then what the
/// columns shown mean, and Python lines for the fastest methods (python_lines_of_fastest()). Links
/// without times to accuracy have none of these. render_text() has the rest, and is used where no
/// section has times to accuracy.
std::string render_summary(const Report& report, std::size_t columns = kReportWidth);

}  // namespace pacbench::report
