#pragma once

#include <string>
#include <vector>

#include "analysis/report/merge.h"

namespace pacbench::figures {

/// Everything that figures and the HTML report show, computed: what draws them computes nothing.
inline constexpr const char* kFiguresFormat = "pacbench.figures/1";

/// A section for each group, read from the folders of its runs as far as the files are there. A
/// figure without data carries the reason in "missing". Throws as the reading of runs and of their
/// lines does.
Json figures_document(const std::vector<report::MergedRuns>& groups);

/// The JSON Schema (draft-07) of that document; pacbench_plots draws what agrees with it.
Json figures_schema();

}  // namespace pacbench::figures
