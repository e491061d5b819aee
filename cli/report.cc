#include "analysis/report/report.h"

#include <memory>

#include "analysis/figures/document.h"
#include "analysis/figures/renderer.h"
#include "analysis/report/merge.h"
#include "base/errors.h"
#include "cli/command.h"
#include "harness/machine/build_info.h"

namespace pacbench::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::string format = "text";
  std::string output;
  bool full = false;
};

std::string render(const ReportOptions& options) {
  std::vector<store::NamedResult> runs;
  for (const auto& folder : options.runs) runs.push_back(store::read_result(folder));
  const auto groups = report::merge_by_workload(runs);
  const auto& format = options.format;
  if (format == "html") return figures::run_plots({"html"}, figures::figures_document(groups));
  const auto report = report::build_report(groups);
  if (format == "md") return report::render_markdown(report);
  if (format == "latex") {
    return options.full ? report::render_latex(report)
                        : report::render_latex_tables(report, version());
  }
  if (format == "csv") return report::render_csv(report);
  if (format == "json") return to_json(report).dump(2) + '\n';
  return options.full ? report::render_text(report, report_columns())
                      : report::render_summary(report, report_columns());
}

}  // namespace

void add_report(CLI::App& app, int&) {
  auto* command = app.add_subcommand("report", "Print tables of one run, or of several together");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("RUN", options->runs, "Results folders, archives of runs, or published names")
      ->required();
  command->add_option("--format", options->format, "Output format")
      ->check(one_of({"text", "md", "latex", "csv", "json", "html"}));
  command->add_flag(
      "--full", options->full,
      "With --format text, print all tables, the notes of each row and why methods lose; with "
      "latex, a document of all these, in place of one table for each link; other formats always "
      "have them, but csv lacks the notes of rows");
  command->add_option("-o,--output", options->output, "Write to this file");
  command->callback([options] { print_or_write(render(*options), options->output); });
}

}  // namespace pacbench::cli
