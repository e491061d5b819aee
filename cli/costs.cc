#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/errors.h"
#include "cli/command.h"
#include "harness/costs/layer_costs.h"
#include "harness/plan/scenario_file.h"

namespace pacbench::cli {
namespace {

constexpr const char* kWhatCounts =
    "These numbers are computed and not measured, for each layer exchanged by itself. Column\n"
    "bytes counts the bytes of the worker that sends the most. Column ms is the time of these\n"
    "bytes at the link's rate, plus 50 µs for each message; an all-to-all takes longer, since\n"
    "several of its flows share a link. Delay, headers, encoding and overlap with computing are\n"
    "left out.\n";

struct CostsOptions {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string format = "text";
};

Scenario scenario_with_links(const CostsOptions& options, const Catalogue& catalogue) {
  const auto path = plan::scenario_path(options.scenario);
  auto document = plan::read_scenario(path);
  for (const auto& assignment : options.overrides) plan::apply_override(document, assignment);
  auto scenario = scenario_from_json(path, document, catalogue);
  const auto& links = scenario.network.links;
  const bool unknown = std::any_of(links.begin(), links.end(),
                                   [](const LinkProfile& link) { return link.is_unknown(); });
  if (links.empty() || unknown) {
    throw ConfigError{
        path,
        {{"/network/links",
          fmt::format("found {}, expected links with a rate_mbit, which says how long "
                      "the bytes take",
                      unknown ? "a measured link" : "no links")}}};
  }
  return scenario;
}

std::string render(const costs::LayerCosts& costs, const std::string& format) {
  if (format == "json") return to_json(costs).dump(2) + '\n';
  std::string text;
  for (const auto& link : costs.links) {
    text += fmt::format("{} of {} workers over {}\n\n", costs.model, costs.workers, link.name);
    const auto table = costs::costs_table(costs.layers, link);
    if (!table.rows.empty()) {
      text += (format == "md" ? to_markdown(table) : to_text(table, report_columns())) + '\n';
    }
    for (const auto& method : link.methods) {
      if (!method.reason.empty()) {
        text += fmt::format("{} has no costs here: {}\n", method.label, method.reason);
      }
    }
    text += '\n';
  }
  return text + kWhatCounts;
}

void print_costs(const CostsOptions& options) {
  const auto programs = Programs::find();
  const auto scenario = scenario_with_links(options, load_catalogue(programs));
  const Interrupt interrupt;
  fmt::print("{}", render(costs::layer_costs(scenario, programs, interrupt), options.format));
}

}  // namespace

void add_costs(CLI::App& app, int&) {
  const auto options = std::make_shared<CostsOptions>();
  auto* command = app.add_subcommand(
      "costs",
      "Say how many bytes and ms each layer's exchange would take with each method, without a run");
  command
      ->add_option("SCENARIO", options->scenario,
                   "A scenario's file, or the name of one that came with pacbench")
      ->required();
  add_set_option(*command, options->overrides);
  command->add_option("--format", options->format, "Output format")
      ->check(one_of({"text", "md", "json"}));
  command->callback([options] { print_costs(*options); });
}

}  // namespace pacbench::cli
