#pragma once

#include <string>

#include "base/json/json_reader.h"

namespace pacbench::figures {

/// The folder of the package pacbench_plots: ../share/pacbench/plots when installed, else plots/ of
/// the source tree. Throws ConfigError naming the source tree when both are missing.
std::string plots_folder();

/// Runs `python -m pacbench_plots` with the document on its standard input, and returns its
/// standard output. On success, its standard error goes to that of this process. Throws
/// ConfigError, with what to do, when Python or a package of plots/requirements.txt is missing.
/// Throws CommandFailed, with the standard error, when pacbench_plots fails.
std::string run_plots(const std::vector<std::string>& arguments, const Json& document);

}  // namespace pacbench::figures
