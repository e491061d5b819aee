#pragma once

#include <string>
#include <vector>

#include "analysis/report/merge.h"

namespace pacbench::figures {

/// The format of the document with all numbers of figures and the HTML report: what draws them
/// computes nothing.
inline constexpr const char* kFiguresFormat = "pacbench.figures/1";

/// A section for each group, read from those files of its runs' folders that exist. A figure
/// without data carries the reason in "missing". Throws what reading runs and their recorded lines
/// throws.
Json figures_document(const std::vector<report::MergedRuns>& groups);

/// The JSON Schema (draft-07) of the figures document; pacbench_plots draws what agrees with it.
Json figures_schema();

}  // namespace pacbench::figures
