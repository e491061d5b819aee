#pragma once

#include <optional>
#include <string>

#include "analysis/report/report.h"

namespace pacbench::report {

/// The lines of Python that train with a method by PyTorch's DistributedDataParallel, with the
/// hooks of python/pacbench/hooks. Nothing where the hooks lack the method, or an option that
/// changes its gradients, and where they refuse an option's value. Options that change only how
/// bytes travel are left out. `method` is an entry of a run's scenario in
/// canonical form, which has a value for every option.
std::optional<std::string> python_lines(const Json& method);

/// The Python lines for the fastest row of each headline, with a sentence before them; empty
/// without headlines or lines.
std::string python_lines_of_fastest(const Report& report);

}  // namespace pacbench::report
