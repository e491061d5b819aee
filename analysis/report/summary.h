#pragma once

#include <string>

#include "analysis/report/report.h"
#include "harness/text/table.h"

namespace pacbench::report {

/// Whether the section has times to accuracy, which a summary shows.
bool has_summary(const ReportSection& section);

/// The table of a link for a first look, at most `columns` wide. Each method has a row with TTAs,
/// speed-ups, the cost of a step and the final accuracy. Columns without room are left out, the
/// least important first; no line is broken. The section must have a summary.
Table summary_table(const ReportSection& section, const LinkReport& link, std::size_t columns);

/// The report for a terminal of `columns` as a sentence and one table a link, with what its signs
/// mean. render_text() has the rest. Modes without times to accuracy have all their tables.
std::string render_summary(const Report& report, std::size_t columns = kReportWidth);

}  // namespace pacbench::report
