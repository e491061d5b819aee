#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace pacbench::report {

/// The notes to one method over one link: cells that are not done, and why; verdicts with their
/// reasons; what pruning left, and how long it took where `timed`; when compaction began.
std::vector<std::string> row_notes(const std::vector<const CellResult*>& cells,
                                   const ReportRow& row, bool timed);

/// Adds a note to the row of each method that prunes: after how many iterations it has won back,
/// against all-reduce and fp16, its time beyond the median steps.
void add_break_even_notes(std::vector<ReportRow>& rows);

/// The notes to a section: its mode, work done before the clock, how to read it.
std::vector<std::string> section_notes(const ReportSection& section);

}  // namespace pacbench::report
