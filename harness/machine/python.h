#pragma once

#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "contract/worker/worker_spec.h"
#include "harness/machine/programs.h"

namespace pacbench {

/// The Python interpreter: $PACBENCH_PYTHON, else the .venv of the source tree that pacbench was
/// built from, else python3.
std::string python_interpreter();

/// The words that start a module of pacbench's package.
std::vector<std::string> python_command(const std::string& programs_folder, const char* module,
                                        const std::vector<std::string>& arguments);

/// The words that start the worker of a specification: pacbench-worker, or Python with the same
/// trainer in it where the specification names a user's class.
std::vector<std::string> worker_command(const Programs& programs, const WorkerSpec& spec);

/// Adds the users' classes that a scenario names to the catalogue. Runs their files once, in
/// Python, which says what is wrong with them. Throws ConfigError naming `source` and the user's
/// file and line. Does nothing where the scenario names none.
void describe_python(const std::string& source, const Json& scenario,
                     const std::string& programs_folder, Catalogue& catalogue);

}  // namespace pacbench
