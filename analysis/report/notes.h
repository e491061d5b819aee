#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace pacbench::report {

/// The notes to one method over one link: cells that are not done, and why; verdicts with their
/// reasons; the range over several runs. Where weights were pruned, or exchanges were dense for
/// lack of a mask, the last note says what pruning left, how long it took where `timed`, when all
/// buckets were first compacted, and how much the masks of two seeds overlap.
std::vector<std::string> row_notes(const std::vector<const CellResult*>& cells,
                                   const ReportRow& row, bool timed);

/// Extends the last note of the row of each method that prunes. The note then says after how many
/// iterations shorter steps have won back what the row spends beyond median steps and the baseline
/// does not. The baselines are all-reduce and fp16.
/// Rows without times, without a comparable baseline, or with over 30 % dense exchanges are left
/// alone.
void add_break_even_notes(std::vector<ReportRow>& rows);

/// The notes to a section: slow workers, its mode and how to read it, pre-training before the
/// clock.
std::vector<std::string> section_notes(const ReportSection& section);

}  // namespace pacbench::report
