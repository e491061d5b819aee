#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "analysis/export/formats.h"
#include "analysis/report/merge.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "cli/command.h"
#include "harness/machine/python.h"

namespace pacbench::cli {
namespace {

struct ExportOptions {
  std::string run;
  std::string format;
  std::vector<std::string> cells;
  std::string output;
};

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) {
    throw std::system_error{errno, std::generic_category(), "write to standard output"};
  }
}

/// Calls `produce` with a function that writes one piece of the file. The file appears whole at the
/// end; without a path the pieces go to standard output.
template <typename Produce>
void write_out(const std::string& path, Produce produce) {
  if (path.empty()) return produce(print);
  NewFile file{path};
  produce([&](std::string_view text) { file.write(text); });
  file.put_in_place();
}

exports::ExportedFile convert(const exports::ExportedRun& run, const std::string& format) {
  if (format == "gbench") return exports::to_google_benchmark(run);
  const report::MergedRuns alone{{{run.folder + "/result.json", run.result}}, run.result};
  const auto suite = exports::benchmark_suite(report::build_report({alone}).sections.front());
  return format == "bmf" ? exports::to_bencher(suite) : exports::to_github_action(suite);
}

/// Starts pacbench's Python package, which writes the files of a format into a folder.
int export_by_python(const ExportOptions& options) {
  if (options.output.empty() || !options.cells.empty()) {
    fmt::print(stderr,
               "--to {} writes several files of all cells, expected -o FOLDER and no --cell\n",
               options.format);
    return kInvalid;
  }
  const auto written = run_command(python_command(Programs::find().folder, "pacbench.export",
                                                  {options.run, options.format, options.output}));
  fmt::print(stderr, "{}", written.err);
  return written.status.ok() ? kFine : kInvalid;
}

int export_run(const ExportOptions& options) {
  if (options.format == "csv" || options.format == "tensorboard") return export_by_python(options);
  const auto run = exports::open_exported_run(options.run, options.cells);
  if (options.format == "perfetto") {
    write_out(options.output,
              [&](const exports::Write& write) { exports::write_perfetto(run, write); });
    return kFine;
  }
  const auto file = convert(run, options.format);
  for (const auto& words : file.left_out) fmt::print(stderr, "left out: {}\n", words);
  write_out(options.output, [&](const exports::Write& write) { write(file.text); });
  return kFine;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("export", "Write a run's numbers in other tools' formats");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("RUN", options->run, "Results folder")->required();
  command
      ->add_option("--to", options->format,
                   "Format: gbench (Google Benchmark), bmf (Bencher), github-action "
                   "(github-action-benchmark, customSmallerIsBetter), perfetto (timeline), csv or "
                   "tensorboard (a folder of files)")
      ->required()
      ->check(one_of({"gbench", "bmf", "github-action", "perfetto", "csv", "tensorboard"}));
  add_repeated(*command, "--cell", options->cells,
               "Export only the cell whose folder has this name (may be repeated)");
  command->add_option("-o,--output", options->output, "Write to this file, or into this folder");
  command->callback([options, &exit_code] { exit_code = export_run(*options); });
}

}  // namespace pacbench::cli
