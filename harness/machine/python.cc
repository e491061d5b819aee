#include "harness/machine/python.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/environment.h"
#include "base/subprocess.h"
#include "contract/catalogue/python_name.h"

namespace pacbench {

std::string python_interpreter() {
  if (auto given = environment_value("PACBENCH_PYTHON"); !given.empty()) return given;
  const std::string own = PACBENCH_SOURCE_FOLDER "/.venv/bin/python";
  return std::filesystem::exists(own) ? own : "python3";
}

std::vector<std::string> python_command(const std::string& programs_folder, const char* module,
                                        const std::vector<std::string>& arguments) {
  // The folders in which Python finds pacbench's packages and the worker's module.
  const auto path =
      fmt::format("PYTHONPATH={}:{}", fmt::join(shipped_folders("python"), ":"), programs_folder);
  std::vector<std::string> words{"env", path, python_interpreter(), "-m", module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::vector<std::string> worker_command(const Programs& programs, const WorkerSpec& spec) {
  if (python_names(to_json(spec)).empty()) return {programs.worker};
  auto words = python_command(programs.folder, "pacbench.worker", {});
  words.front() = "/usr/bin/env";  // a daemon looks for no program
  words.insert(words.begin() + 1, "PYTHONFAULTHANDLER=1");
  return words;
}

void describe_python(const std::string& source, const Json& scenario,
                     const std::string& programs_folder, Catalogue& catalogue) {
  const auto names = python_names(scenario);
  if (names.empty()) return;
  const auto given = scenario.value("python_folder", "");
  const auto folder = std::filesystem::absolute(source).parent_path() / given;
  std::vector<std::string> arguments{folder};
  arguments.insert(arguments.end(), names.begin(), names.end());
  const auto output = run_command(python_command(programs_folder, "pacbench.describe", arguments));
  if (!output.status.ok()) throw ConfigError{source, {{"", output.err}}};
  catalogue = with_classes(
      catalogue, catalogue_from_json(source, parse_json("pacbench.describe", output.out)));
}

}  // namespace pacbench
