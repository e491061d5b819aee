#pragma once

#include <string>

#include "analysis/report/report.h"
#include "harness/text/table.h"

namespace pacbench::report {

/// Whether there are times to accuracy, of which a summary could speak.
bool has_summary(const ReportSection& section);

/// The table that a person reads first of a link has one row for each method with its TTAs,
/// speed-ups, the cost of a step and the final accuracy, at most `columns` wide. Columns that find
/// no room are left out, those that matter least first; a line is never broken. The section must
/// have a summary.
Table summary_table(const ReportSection& section, const LinkReport& link, std::size_t columns);

/// The report for a terminal of `columns` as a sentence and one table a link, with what its signs
/// mean. render_text() has the rest. Modes without times to accuracy have all their tables.
std::string render_summary(const Report& report, std::size_t columns = kReportWidth);

}  // namespace pacbench::report
