#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/programs.h"
#include "harness/run/plan.h"
#include "spec/scenario.h"

namespace pacbench::cli {
namespace {

/// Says on stdout that the file is valid, or on stderr everything that is wrong with it.
bool validate_file(const std::string& path, const Catalogue& catalogue) {
  try {
    const auto scenario = scenario_from_json(path, read_json_file(path), catalogue);
    fmt::print("{}: valid, {} cells\n", path, run::plan(scenario).size());
    return true;
  } catch (const ConfigError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return false;
  }
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("validate", "Check scenario files and do nothing else");
  const auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", *files, "scenario files")->required()->check(CLI::ExistingFile);
  command->callback([files, &exit_code] {
    const auto catalogue = load_catalogue(Programs::find());
    for (const auto& file : *files) {
      if (!validate_file(file, catalogue)) exit_code = kInvalid;
    }
  });
}

}  // namespace pacbench::cli
