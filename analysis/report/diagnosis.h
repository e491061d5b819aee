#pragma once

#include <string>
#include <vector>

#include "analysis/report/row.h"

namespace pacbench::report {

/// Adds a diagnosis to each row that takes longer than its baseline to the last target that a
/// baseline reached, or never reaches this target. The diagnosis says why, by the rules of
/// docs/METRICS.md. Of the link's first all-reduce row and first fp16 row, the baseline is the one
/// that reached this target first. Rows of all-reduce and of a user's own program get no diagnosis,
/// nor do rows that cannot be compared with a baseline.
void add_diagnoses(std::vector<ReportRow>& rows, int workers);

/// Returns "1.24 times the TTA of fp16 to 97 % (1.09 × the time per iteration, 1.14 × the
/// iterations); " and then the causes.
std::string diagnosis_words(const Diagnosis& diagnosis);

}  // namespace pacbench::report
