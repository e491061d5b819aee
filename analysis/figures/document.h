#pragma once

#include <string>
#include <vector>

#include "analysis/report/merge.h"

namespace pacbench::figures {

/// The format of the document with all numbers of the figures and of the HTML report. The program
/// that draws them computes no result of its own.
inline constexpr const char* kFiguresFormat = "pacbench.figures/1";

/// Returns the document, with a section for each group of runs. Recorded files of the runs are read
/// where they exist. A figure without data carries the reason in "missing". Throws what reading
/// runs and their recorded lines throws.
Json figures_document(const std::vector<report::MergedRuns>& groups);

/// The JSON Schema (draft-07) of the figures document; pacbench_plots draws what agrees with it.
Json figures_schema();

}  // namespace pacbench::figures
