#include <fmt/format.h>

#include <limits>
#include <memory>

#include "harness/build_info.h"
#include "harness/cell_log.h"
#include "harness/cli/command.h"
#include "harness/verify_curves.h"
#include "harness/verify_numbers.h"

namespace pacbench::cli {
namespace {

struct Options {
  std::string run;
  std::vector<std::string> cells;
  std::size_t curves = 1;
  bool all = false;
  bool no_progress = false;
};

bool numbers_agree(const RecordedRun& run, const std::vector<Cell>& cells) {
  const auto check = verify_numbers(run, cells);
  for (const auto& finding : check.findings) fmt::print("DIFFERS  {}\n", finding);
  if (check.findings.empty()) {
    fmt::print(
        "ok       numbers: {} cells recomputed from their raw lines, each equal in "
        "cell.json and result.json\n",
        check.cells);
  }
  return check.findings.empty();
}

void tell_incomparable(const std::string& what, const std::string& why) {
  fmt::print("UNKNOWN  {}: cannot be derived here: {}\n", what, why);
}

/// The exit code that the curves ask for.
int check_curves(const RecordedRun& run, const std::vector<Cell>& sample,
                 const Catalogue& catalogue, const Programs& programs, Progress::Style style) {
  const Interrupt interrupt;
  Progress progress{style};
  int code = kFine;
  for (const auto& cell : sample) {
    const auto check = verify_curve(run, cell, catalogue, programs, interrupt, progress);
    const auto name = "curve of " + cell.folder_name();
    if (check.verdict == CurveCheck::Verdict::kIncomparable) {
      tell_incomparable(name, check.words);
      return code == kFine ? kIncomparable : code;
    }
    const bool equal = check.verdict == CurveCheck::Verdict::kEqual;
    fmt::print("{}  {}: {}\n", equal ? "ok     " : "DIFFERS", name, check.words);
    if (!equal) code = kBad;
  }
  return code;
}

int verify(const Options& options) {
  const auto programs = Programs::find();
  const auto catalogue = load_catalogue(programs);
  const auto run = open_run(options.run, catalogue);
  const auto cells = cells_of(run, options.cells);
  const bool agree = numbers_agree(run, cells);
  const auto per_method = options.all ? std::numeric_limits<std::size_t>::max() : options.curves;
  const auto sample = sample_curves(run, cells, per_method);
  if (const auto why = incomparable_here(run, catalogue); why && !sample.empty()) {
    tell_incomparable("curves", *why);
    return agree ? kIncomparable : kBad;
  }
  if (const auto there = run.manifest.value("git_commit", ""); there != git_commit()) {
    fmt::print("note     the run was made by commit {}, this is {}\n", there, git_commit());
  }
  try {
    const auto style = options.no_progress ? Progress::Style::kNone : Progress::style_for_stderr();
    const int code = check_curves(run, sample, catalogue, programs, style);
    return agree ? code : kBad;
  } catch (const CellEnded& end) {
    fmt::print(stderr, "{}\n", end.reason);
    return kInterrupted;
  }
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "verify", "Recompute a run's numbers from its raw lines and derive sampled curves again");
  command->add_option("RUN", options->run, "Results folder")
      ->required()
      ->check(CLI::ExistingDirectory);
  command->add_option("--cell", options->cells, "This cell only, by its folder's name (repeatable)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  auto* curves = command->add_option("--curves", options->curves,
                                     "Curves of each method to derive again, smallest seeds first");
  command->add_flag("--all", options->all, "Derive all curves again")->excludes(curves);
  command->add_flag("--no-progress", options->no_progress, "No progress on stderr");
  command->callback([options, &exit_code] { exit_code = verify(*options); });
}

}  // namespace pacbench::cli
