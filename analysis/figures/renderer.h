#pragma once

#include <string>

#include "base/json_reader.h"

namespace pacbench::figures {

/// The Python interpreter that draws: $PACBENCH_PYTHON, else the .venv of the source tree that this
/// was built from, else python3.
std::string plotting_python();

/// The folder of the package pacbench_plots: ../share/pacbench/plots when installed, else plots/ of
/// the source tree. Throws ConfigError naming both when it is in neither.
std::string plots_folder();

/// Runs `python -m pacbench_plots` with the document on its standard input; what it says to stderr
/// goes to ours. Returns what it printed. Throws ConfigError, with what to do, when Python or a
/// package of plots/requirements.txt is missing, and CommandFailed when pacbench_plots fails.
std::string run_plots(const std::vector<std::string>& arguments, const Json& document);

}  // namespace pacbench::figures
