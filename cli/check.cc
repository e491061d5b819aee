#include <fmt/format.h>

#include <memory>

#include "base/subprocess.h"
#include "cli/command.h"
#include "harness/machine/programs.h"
#include "harness/machine/python.h"

namespace pacbench::cli {
namespace {

struct CheckOptions {
  std::string name;
  std::string options = "{}";
};

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "check", "Check a task or a method of your own in Python, without links, in seconds");
  const auto options = std::make_shared<CheckOptions>();
  command->add_option("NAME", options->name, "FILE.py:CLASS")->required();
  command->add_option("--options", options->options, "Its options, a JSON object");
  command->callback([options, &exit_code] {
    const auto output = run_command(python_command(Programs::find().folder, "pacbench.check",
                                                   {options->name, options->options}));
    fmt::print("{}", output.out);
    fmt::print(stderr, "{}", output.err);
    exit_code = output.status.ok() ? kFine : kBad;
  });
}

}  // namespace pacbench::cli
