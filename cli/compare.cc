#include <fmt/format.h>

#include <memory>

#include "analysis/compare/comparison.h"
#include "cli/command.h"
#include "harness/machine/programs.h"

namespace pacbench::cli {
namespace {

struct CompareOptions {
  std::string base;
  std::string next;
  double threshold_percent = 5;
  double encode_threshold_percent = 10;
  double alpha = 0.01;
  std::string format = "text";
  std::string output;
};

std::string render(const compare::Comparison& comparison, const std::string& format) {
  if (format == "md") return compare::render_markdown(comparison);
  if (format == "json") return json_text(to_json(comparison), 2) + '\n';
  return compare::render_text(comparison, report_columns());
}

ExitCode code_of(compare::Outcome outcome) {
  switch (outcome) {
    case compare::Outcome::kRegressed:
      return kBad;
    case compare::Outcome::kIncomparable:
      return kIncomparable;
    case compare::Outcome::kInconclusive:
      return kInconclusive;
    case compare::Outcome::kFine:
      return kFine;
  }
  return kBad;
}

int compare_sides(const CompareOptions& options) {
  const auto base = compare::read_side(options.base);
  const auto next = compare::read_side(options.next);
  if (const auto mismatch = compare::first_mismatch(base, next)) {
    fmt::print(
        stderr,
        "{}: /scenario{}: found {}, but {} in {}: these two runs measured different things\n",
        mismatch->folder, mismatch->difference.pointer, mismatch->difference.found,
        mismatch->difference.expected, base.front().folder);
    return kIncomparable;
  }
  const auto& scenario = base.front().result.scenario;
  const auto comparison = compare::compare(
      base, next,
      {options.threshold_percent / 100, options.encode_threshold_percent / 100, options.alpha,
       compare::labels_by_time(scenario, load_catalogue(Programs::find()))});
  print_or_write(render(comparison, options.format), options.output);
  return code_of(comparison.outcome);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("compare", "Say whether new runs are worse than base runs");
  const auto options = std::make_shared<CompareOptions>();
  const char* sides =
      "A results folder, a folder of results folders, or several of these, separated by commas";
  command->add_option("BASE", options->base, sides)->required();
  command->add_option("NEW", options->next, sides)->required();
  command
      ->add_option("--threshold", options->threshold_percent,
                   "Percent by which a time must change to count (default 5)")
      ->check(CLI::Range(0.1, 1000.0));
  command
      ->add_option("--encode-threshold", options->encode_threshold_percent,
                   "Percent by which an encode time must change to count (default 10)")
      ->check(CLI::Range(0.1, 1000.0));
  command
      ->add_option(
          "--alpha", options->alpha,
          "Highest chance that a whole comparison has one false alarm or more (default 0.01)")
      ->check(CLI::Range(1e-6, 0.5));
  command->add_option("--format", options->format, "Output format")
      ->check(one_of({"text", "md", "json"}));
  command->add_option("-o,--output", options->output, "Write to this file");
  command->callback([options, &exit_code] { exit_code = compare_sides(*options); });
}

}  // namespace pacbench::cli
