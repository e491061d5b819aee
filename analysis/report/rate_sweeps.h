#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace pacbench::report {

/// Links that differ in nothing but their constant rate, slowest first, one link for each rate.
using RateSweep = std::vector<const LinkReport*>;

/// All sweeps of a section that have at least two rates.
std::vector<RateSweep> rate_sweeps(const ReportSection& section);

/// The row of that label; null where there is none.
const ReportRow* find_row(const LinkReport& link, const std::string& label);

}  // namespace pacbench::report
