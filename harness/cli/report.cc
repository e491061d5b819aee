#include "harness/report/report.h"

#include <fmt/format.h>

#include <memory>

#include "base/files.h"
#include "harness/cli/command.h"
#include "harness/figures/document.h"
#include "harness/figures/renderer.h"
#include "harness/report/merge.h"

namespace pacbench::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::string format = "text";
  std::string output;
};

std::string render(const std::vector<report::MergedRuns>& groups, const std::string& format) {
  if (format == "html") return figures::run_plots({"html"}, figures::figures_document(groups));
  const auto report = report::build_report(groups);
  if (format == "md") return report::render_markdown(report);
  if (format == "latex") return report::render_latex(report);
  if (format == "csv") return report::render_csv(report);
  if (format == "json") return to_json(report).dump(2) + '\n';
  return report::render_text(report, report_columns());
}

int report(const ReportOptions& options) {
  std::vector<report::NamedResult> runs;
  for (const auto& run : options.runs) runs.push_back(report::read_result(run));
  const auto text = render(report::merge_by_workload(runs), options.format);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file_atomically(options.output, text);
  }
  return kFine;
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("report", "Tables of one run, or of several together");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("RUN", options->runs, "results folders, or their result.json")->required();
  command->add_option("--format", options->format, "text, md, latex, csv, json or html")
      ->check(CLI::IsMember({"text", "md", "latex", "csv", "json", "html"}));
  command->add_option("-o,--output", options->output, "write to this file");
  command->callback([options, &exit_code] { exit_code = report(*options); });
}

}  // namespace pacbench::cli
