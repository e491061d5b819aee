#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/programs.h"
#include "harness/report/report.h"
#include "spec/result.h"
#include "spec/scenario.h"

namespace pacbench::cli {

void add_schema(CLI::App& app, int&) {
  auto* command = app.add_subcommand("schema", "Print a JSON Schema (draft-07)");
  const auto what = std::make_shared<std::string>();
  command->add_option("WHAT", *what, "scenario, result or report")
      ->required()
      ->check(CLI::IsMember({"scenario", "result", "report"}));
  command->callback([what] {
    const auto schema = *what == "result"   ? result_schema()
                        : *what == "report" ? report_schema()
                                            : scenario_schema(load_catalogue(Programs::find()));
    fmt::print("{}\n", schema.dump(2));
  });
}

}  // namespace pacbench::cli
