#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "harness/data/datasets.h"
#include "harness/machine/build_info.h"
#include "harness/store/recorded_run.h"
#include "harness/verify/curves.h"
#include "harness/verify/numbers.h"

namespace pacbench::cli {
namespace {

struct VerifyOptions {
  std::string run;
  std::vector<std::string> cells;
  std::size_t curves = 1;
  bool all = false;
  bool runs_code = false;
  bool no_progress = false;
};

/// Returns the worse of two exit codes. From worst to best: kBad, kIncomparable, kInconclusive,
/// kFine.
ExitCode worse(ExitCode one, ExitCode other) {
  for (const auto code : {kBad, kIncomparable, kInconclusive}) {
    if (one == code || other == code) return code;
  }
  return kFine;
}

ExitCode check_checksums(const store::RecordedRun& run, const std::vector<plan::Cell>& cells) {
  const auto check = store::verify_checksums(run, cells);
  for (const auto& finding : check.findings) fmt::print("DIFFERS  {}\n", finding);
  if (check.findings.empty() && check.cells > 0) {
    fmt::print(
        "ok       checksums: {} files of {} cells are as they were recorded, as far as they were "
        "kept\n",
        check.files, check.cells);
  }
  if (check.without > 0) {
    fmt::print(
        "note     {} cells have no checksums, because an earlier pacbench recorded them: only the "
        "files from which their numbers and curves are computed are checked\n",
        check.without);
  }
  return check.findings.empty() ? kFine : kBad;
}

/// The first names of a list, and how many more there are.
std::string first_of(std::vector<std::string> names) {
  constexpr std::size_t kShown = 8;
  const auto more = names.size() - std::min(names.size(), kShown);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(", and {} more", more));
}

ExitCode check_numbers(const store::RecordedRun& run, const std::vector<plan::Cell>& cells) {
  const auto check = verify::verify_numbers(run, cells);
  for (const auto& finding : check.findings) fmt::print("DIFFERS  {}\n", finding);
  const auto count = fmt::format("numbers: {} of {} cells recomputed", check.cells, cells.size());
  if (!check.missing.empty()) {
    fmt::print(
        "UNKNOWN  {}; missing, or not finished: {}; finish these cells with pacbench run "
        "SCENARIO --out {} --resume\n",
        count, first_of(check.missing), run.folder);
  } else if (check.findings.empty()) {
    fmt::print(
        "ok       {} from their raw lines; cell.json and result.json have the same numbers\n",
        count);
  }
  if (check.without_iterations > 0) {
    fmt::print(
        "note     {} cells are kept without the lines of their iterations: only the numbers that "
        "are computed from their curves and events are checked\n",
        check.without_iterations);
  }
  return !check.findings.empty() ? kBad : check.missing.empty() ? kFine : kInconclusive;
}

ExitCode code_of(verify::CurveCheck::Verdict verdict) {
  switch (verdict) {
    case verify::CurveCheck::Verdict::kEqual:
      return kFine;
    case verify::CurveCheck::Verdict::kDiffers:
      return kBad;
    case verify::CurveCheck::Verdict::kIncomparable:
      return kIncomparable;
    case verify::CurveCheck::Verdict::kNotDerived:
      return kInconclusive;
  }
  return kBad;
}

const char* word_of(ExitCode code) {
  return code == kFine ? "ok     " : code == kBad ? "DIFFERS" : "UNKNOWN";
}

/// Verifies the curves of the sampled cells, prints each verdict and returns the exit code.
ExitCode check_curves(const store::RecordedRun& run, const std::vector<plan::Cell>& sample,
                      const Catalogue& catalogue, const Programs& programs,
                      run::Progress::Style style) {
  const Interrupt interrupt;
  run::Progress progress{style};
  auto code = kFine;
  for (const auto& cell : sample) {
    const auto check = verify::verify_curve(run, cell, catalogue, programs, interrupt, progress);
    const auto name = "curve of " + cell.folder_name();
    const auto found = code_of(check.verdict);
    const bool known = found == kFine || found == kBad;
    fmt::print("{}  {}: {}{}\n", word_of(found), name,
               known ? "" : "cannot be derived here: ", check.words);
    code = worse(code, found);
    // The other curves cannot be compared here either.
    if (check.verdict == verify::CurveCheck::Verdict::kIncomparable) break;
  }
  return code;
}

/// Whether only the results of a run were kept: result.json has cells, but their lines are gone.
/// False for a folder without result.json, since its run may not have a result yet.
bool has_only_results(const std::string& folder) {
  const auto path = folder + "/result.json";
  if (store::keeps_lines(folder) || !std::filesystem::exists(path)) return false;
  return !read_json_file(path).value("cells", Json::array()).empty();
}

int verify(const VerifyOptions& options) {
  const store::RunPath path{options.run};
  const auto& folder = path.folder();
  if (has_only_results(folder)) {
    fmt::print(
        "UNKNOWN  numbers: {} was kept without the lines of its cells (cells/*/events.jsonl and "
        "iterations.jsonl), so nothing can be computed again; to check its numbers, repeat the "
        "run\n",
        options.run);
    return kInconclusive;
  }
  const auto programs = Programs::find();
  auto catalogue = load_catalogue(programs);
  auto run = store::open_run(folder, catalogue);
  std::optional<verify::KeptCode> code;
  if (options.runs_code && !run.manifest.python.is_null()) {
    code.emplace(run);
    run.scenario.python_folder = code->folder();
    catalogue = with_classes(catalogue,
                             catalogue_from_json(run.path("manifest.json"), run.manifest.python));
  }
  const auto cells = store::cells_of(run, options.cells);
  const auto per_method = options.all ? std::numeric_limits<std::size_t>::max() : options.curves;
  // Modes compose and simulate take their curves from another run, so this run has none to derive.
  const bool trains_here = !run.scenario.compose;
  const auto sample = trains_here ? verify::sample_curves(run, cells, per_method, code.has_value())
                                  : std::vector<plan::Cell>{};
  const auto why = sample.empty() ? std::nullopt : verify::incomparable_here(run, catalogue);
  if (!sample.empty() && !why) data::require_datasets(run.scenario, catalogue);
  const auto checksums = check_checksums(run, cells);
  const auto numbers = worse(checksums, check_numbers(run, cells));
  if (run.scenario.compose) {
    fmt::print(
        "note     no curve was derived again: mode {} trains nothing, and this run {}\n",
        word_of(run.scenario.mode),
        run.scenario.compose->curve.empty()
            ? "has no curves"
            : "takes its curves from a run that you can verify: " + run.scenario.compose->curve);
    return numbers;
  }
  if (run.scenario.program) {
    fmt::print(
        "note     no curve of a program was derived again: without links, pacbench cannot run your "
        "own program; repeat the run, and compare both runs with pacbench compare\n");
    if (is_program_alone(run.scenario)) return numbers;
  }
  const auto in_python = [&](const MethodEntry& method) {
    return runs_python(run.scenario, method);
  };
  const auto& methods = run.scenario.methods;
  if (!code && std::any_of(methods.begin(), methods.end(), in_python)) {
    fmt::print(
        "note     no curve of a Python class was derived again; with --run-its-code the run's "
        "Python is run, to train them again\n");
    if (std::all_of(methods.begin(), methods.end(), in_python)) return numbers;
  }
  if (sample.empty()) {
    fmt::print(
        "note     no curve was derived again: {}\n",
        per_method == 0 ? "none was asked for" : "no cell of pacbench's own methods is done");
    return per_method == 0 ? numbers : worse(numbers, kInconclusive);
  }
  if (why) {
    fmt::print("UNKNOWN  curves: cannot be derived here: {}\n", *why);
    return worse(numbers, kIncomparable);
  }
  if (const auto& there = run.manifest.git_commit; there != git_commit()) {
    fmt::print("note     the run was made by commit {}, this pacbench is built from {}\n", there,
               git_commit());
  }
  const auto style =
      options.no_progress ? run::Progress::Style::kNone : run::Progress::style_for_stderr();
  return worse(numbers, check_curves(run, sample, catalogue, programs, style));
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<VerifyOptions>();
  auto* command = app.add_subcommand("verify",
                                     "Check a run's files, recompute its numbers from its raw "
                                     "lines, and train some of its learning curves again (one of "
                                     "each method, unless --curves or --all says otherwise)");
  command->add_option("RUN", options->run, "Results folder, or an archive of it")->required();
  add_repeated(*command, "--cell", options->cells,
               "Verify only the cell whose folder has this name (may be repeated)");
  auto* curves = command->add_option(
      "--curves", options->curves,
      "How many curves of each method to derive again, smallest seeds first (default 1)");
  command->add_flag("--all", options->all, "Derive all curves again")->excludes(curves);
  command->add_flag("--run-its-code", options->runs_code,
                    "Run the Python of the run's classes too, as the run kept it: it may do "
                    "whatever you may do on this machine");
  command->add_flag("--no-progress", options->no_progress, "No progress on stderr");
  command->callback([options, &exit_code] { exit_code = verify(*options); });
}

}  // namespace pacbench::cli
