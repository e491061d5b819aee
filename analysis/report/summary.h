#pragma once

#include <string>

#include "analysis/report/report.h"
#include "harness/text/table.h"

namespace pacbench::report {

/// Whether the section has times to accuracy, which a summary shows.
bool has_summary(const ReportSection& section);

/// The table of a link for a first look. Each method has a row with TTAs, speed-ups, the cost of a
/// step and the final accuracy. Columns are left out, the least important first, until the table is
/// at most `columns` wide or only the indispensable ones are left. The section must have a summary.
Table summary_table(const ReportSection& section, const LinkReport& link, std::size_t columns);

/// The report for a terminal of `columns`: a sentence and one table for each link, then what the
/// columns shown mean, and Python lines for the fastest methods (python_lines_of_fastest()). Links
/// without times to accuracy have none of these. render_text() has the rest, and is used where no
/// section has times to accuracy.
std::string render_summary(const Report& report, std::size_t columns = kReportWidth);

}  // namespace pacbench::report
