#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/command.h"
#include "contract/scenario/launcher.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/devices.h"
#include "harness/machine/programs.h"
#include "harness/machine/python.h"
#include "harness/plan/plan.h"
#include "harness/plan/scenario_file.h"

namespace pacbench::cli {
namespace {

/// Describes the device that "auto" would choose on this machine, or says why none can be chosen.
/// The scenario is valid in either case. Asks the worker which devices there are, unless `devices`
/// has the answer for another scenario.
std::string device_for(const Scenario& scenario, const Programs& programs,
                       std::optional<Devices>& devices) {
  try {
    if (!devices) devices = ask_devices(programs.worker);
    return plan::describe(plan::decide_device(scenario, *devices));
  } catch (const std::exception& error) {
    return fmt::format("device auto; this machine cannot choose a device for it: {}", error.what());
  }
}

/// Says on stdout that the file is valid, or on stderr what is wrong with it (the first 20 problems
/// at most). Returns whether it is valid.
bool validate_file(const std::string& argument, Catalogue catalogue, const Programs& programs,
                   std::optional<Devices>& devices) {
  try {
    const auto path = plan::scenario_path(argument);
    const auto document = plan::read_scenario(path);
    describe_python(path, document, programs.folder, catalogue);
    const auto scenario = scenario_from_json(path, document, catalogue);
    refuse_launchers(path, scenario);
    fmt::print("{}: valid, {} cells", path, plan::plan(scenario).size());
    if (plan::leaves_device_open(scenario)) {
      fmt::print("; {}", device_for(scenario, programs, devices));
    }
    fmt::print("\n");
    return true;
  } catch (const ConfigError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return false;
  }
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("validate", "Check scenarios and do nothing else");
  const auto files = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("SCENARIO", *files,
                   "Scenarios' files, or names of those that came with pacbench")
      ->required();
  command->callback([files, &exit_code] {
    const auto programs = Programs::find();
    const auto catalogue = load_catalogue(programs);
    std::optional<Devices> devices;
    for (const auto& file : *files) {
      if (!validate_file(file, catalogue, programs, devices)) exit_code = kInvalid;
    }
  });
}

}  // namespace pacbench::cli
