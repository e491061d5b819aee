#pragma once

#include <vector>

#include "harness/report/report.h"

namespace pacbench {

/// The row of one method over one link from all cells that it has there. `method` is the scenario's
/// entry; targets that a cell did not look for count nowhere; without `timed`, nothing of time.
ReportRow build_row(const Json& method, const std::vector<const CellResult*>& cells,
                    const std::vector<double>& targets, bool timed);

}  // namespace pacbench
