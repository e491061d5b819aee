#include <fmt/format.h>

#include <memory>

#include "analysis/figures/document.h"
#include "analysis/figures/renderer.h"
#include "cli/command.h"

namespace pacbench::cli {
namespace {

struct PlotOptions {
  std::vector<std::string> runs;
  std::string output;
};

int plot(const PlotOptions& options) {
  std::vector<store::NamedResult> runs;
  for (const auto& run : options.runs) runs.push_back(store::read_result(run));
  fmt::print("{}", figures::run_plots({"figures", "-o", options.output},
                                      figures::figures_document(report::merge_by_workload(runs))));
  return kFine;
}

}  // namespace

void add_plot(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("plot", "Draw figures of runs, as SVG and PNG");
  const auto options = std::make_shared<PlotOptions>();
  command->add_option("RUN", options->runs, "Results folders, or their result.json")->required();
  command->add_option("-o,--output", options->output, "Folder to write into; made when missing")
      ->required();
  command->callback([options, &exit_code] { exit_code = plot(*options); });
}

}  // namespace pacbench::cli
