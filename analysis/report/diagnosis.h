#pragma once

#include <string>
#include <vector>

#include "analysis/report/row.h"

namespace pacbench::report {

/// Says of each row that takes longer than the better of the link's all-reduce and fp16 (of each
/// its first entry) why: rules over numbers of the two rows, docs/METRICS.md. The baseline
/// all-reduce itself is no subject, and rows that no speed-up is shown for are none either.
void add_diagnoses(std::vector<ReportRow>& rows, int workers);

/// "1.24 times the TTA of fp16 to 97 % (1.37 × the step, 1.14 × the iterations): ...".
std::string diagnosis_words(const Diagnosis& diagnosis);

}  // namespace pacbench::report
