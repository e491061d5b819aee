#include "analysis/figures/renderer.h"

#include <fmt/format.h>

#include <system_error>

#include "base/environment.h"
#include "base/subprocess.h"
#include "harness/machine/programs.h"
#include "harness/machine/python.h"

namespace pacbench::figures {
namespace {

constexpr const char* kSource = PACBENCH_SOURCE_FOLDER;

/// Exit code of pacbench_plots when a package is missing (EX_UNAVAILABLE).
constexpr int kMissingPackage = 69;
/// Exit code of `env` when the program is missing.
constexpr int kMissingProgram = 127;

constexpr const char* kCure =
    "run tools/setup --figures, or set PACBENCH_PYTHON to a Python that has the packages of "
    "plots/requirements.txt";

/// The text without the newlines at its end.
std::string without_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string python_path(const std::string& folder) {
  const auto given = environment_value("PYTHONPATH");
  return given.empty() ? folder : fmt::format("{}:{}", folder, given);
}

}  // namespace

std::string plots_folder() {
  const auto folders = shipped_folders("plots");
  if (!folders.empty()) return folders.front();
  throw ConfigError{kSource,
                    {{"", "the Python package pacbench_plots is missing: install pacbench again"}}};
}

std::string run_plots(const std::vector<std::string>& arguments, const Json& document) {
  const auto python = python_interpreter();
  std::vector<std::string> command{"env", "PYTHONPATH=" + python_path(plots_folder()), python, "-m",
                                   "pacbench_plots"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto output = run_command(command, json_text(document));
  if (output.status.code == kMissingPackage || output.status.code == kMissingProgram) {
    throw ConfigError{python, {{"", fmt::format("{}; {}", without_end(output.err), kCure)}}};
  }
  if (!output.status.ok()) {
    throw CommandFailed{fmt::format("{} ended with {}:\n{}", shell_words(command),
                                    output.status.describe(), output.err)};
  }
  fmt::print(stderr, "{}", output.err);
  return output.out;
}

}  // namespace pacbench::figures
