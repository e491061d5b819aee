#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace pacbench::report {

/// The model and data that a canonical scenario trains: "mlp hidden [512,512] on digits", or the
/// command of a program of the user's own.
std::string workload_words(const Json& scenario);

/// Titles each section by what it trains. Where sections differ in another value of the workload,
/// in the number of workers or in the mode, the title says this too.
void fill_titles(std::vector<ReportSection>& sections);

}  // namespace pacbench::report
