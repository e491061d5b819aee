#pragma once

#include <string>
#include <vector>

#include "analysis/report/row.h"

namespace pacbench::report {

/// Adds to each row that takes longer than the better of the link's all-reduce and fp16 (the first
/// row of each) why it does. The rules of docs/METRICS.md use numbers of the two rows. The baseline
/// all-reduce and rows without a speed-up get no diagnosis.
void add_diagnoses(std::vector<ReportRow>& rows, int workers);

/// "1.24 times the TTA of fp16 to 97 % (1.37 × the step, 1.14 × the iterations): ...".
std::string diagnosis_words(const Diagnosis& diagnosis);

}  // namespace pacbench::report
