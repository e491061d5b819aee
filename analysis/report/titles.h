#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace pacbench::report {

/// The model and data that a canonical scenario trains: "mlp hidden [512,512] on digits", or the
/// command of a program of the user's own.
std::string workload_words(const Json& scenario);

/// Names each section by what it trains, its mode where modes differ, and every other
/// value of the workload in which it is not like all the others.
void fill_titles(std::vector<ReportSection>& sections);

}  // namespace pacbench::report
