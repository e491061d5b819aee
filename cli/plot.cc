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
  bool paper = false;
};

void plot(const PlotOptions& options) {
  std::vector<store::NamedResult> runs;
  for (const auto& run : options.runs) runs.push_back(store::read_result(run));
  std::vector<std::string> arguments{"figures", "-o", options.output};
  if (options.paper) arguments.emplace_back("--paper");
  fmt::print("{}", figures::run_plots(arguments,
                                      figures::figures_document(report::merge_by_workload(runs))));
}

}  // namespace

void add_plot(CLI::App& app, int&) {
  auto* command = app.add_subcommand("plot", "Draw figures of runs, as SVG and PNG");
  const auto options = std::make_shared<PlotOptions>();
  command->add_option("RUN", options->runs, "Results folders, or their result.json")->required();
  command->add_option("-o,--output", options->output, "Folder to write into; made when missing")
      ->required();
  command->add_flag("--paper", options->paper,
                    "PDF in place of SVG and PNG, as wide as a paper's column (85 mm)");
  command->callback([options] { plot(*options); });
}

}  // namespace pacbench::cli
