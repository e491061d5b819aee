#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace pacbench::report {

/// A model of the canonical scenario with its options: "mlp hidden [512,512]".
std::string model_words(const Json& workload);

/// Names each section by its model and data set, its mode where modes differ, and every other
/// value of the workload in which it is not like all the others.
void fill_titles(std::vector<ReportSection>& sections);

}  // namespace pacbench::report
