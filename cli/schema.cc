#include <fmt/format.h>

#include <memory>
#include <utility>

#include "analysis/compare/comparison.h"
#include "analysis/figures/document.h"
#include "analysis/report/report.h"
#include "cli/command.h"
#include "contract/profile/profile.h"
#include "contract/result/result.h"
#include "contract/scenario/scenario.h"
#include "harness/machine/programs.h"

namespace pacbench::cli {
namespace {

Json of_scenario() { return scenario_schema(load_catalogue(Programs::find())); }

constexpr std::pair<const char*, Json (*)()> kSchemas[] = {
    {"scenario", of_scenario},
    {"result", result_schema},
    {"report", report::report_schema},
    {"profile", profile_schema},
    {"comparison", compare::comparison_schema},
    {"figures", figures::figures_schema}};

}  // namespace

void add_schema(CLI::App& app, int&) {
  auto* command = app.add_subcommand("schema", "Print a JSON Schema (draft-07)");
  const auto what = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const auto& [name, make] : kSchemas) names.emplace_back(name);
  command->add_option("WHAT", *what, "The kind of document whose schema is printed")
      ->required()
      ->check(one_of(names));
  command->callback([what] {
    for (const auto& [name, make] : kSchemas) {
      if (*what == name) fmt::print("{}\n", make().dump(2));
    }
  });
}

}  // namespace pacbench::cli
