#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/gates/judge.h"
#include "analysis/report/merge.h"
#include "base/json/read_keys.h"
#include "cli/command.h"
#include "contract/scenario/gate.h"
#include "harness/store/recorded_run.h"

namespace pacbench::cli {
namespace {

struct GateOptions {
  std::vector<std::string> runs;
  std::string gates;
  std::string format = "text";
  bool fail_on_inconclusive = false;
};

/// The gates of the run's scenario, as `pacbench run` recorded it.
std::vector<Gate> recorded_gates(const std::string& run, const Json& scenario) {
  if (!scenario.contains("gates")) {
    throw ConfigError{run,
                      {{"/gates",
                        "found no gates in the run's scenario, expected at least one; give a file "
                        "of gates with --gates"}}};
  }
  return scenario["gates"].get<std::vector<Gate>>();
}

std::string render(const std::vector<gates::Judgement>& judgements, const GateOptions& options) {
  if (options.format == "json") return to_json(judgements).dump(2) + '\n';
  if (options.format == "md") return render_markdown(judgements);
  if (options.format == "junit") return render_junit(judgements, options.fail_on_inconclusive);
  if (options.format == "github") {
    return render_annotations(judgements, options.fail_on_inconclusive);
  }
  return render_text(judgements, report_columns());
}

int hold_against_gates(const GateOptions& options) {
  std::vector<gates::Judgement> all;
  for (const auto& folder : options.runs) {
    const auto run = store::read_result(folder).result;
    const auto judgements = options.gates.empty()
                                ? gates::judge(folder, run, recorded_gates(folder, run.scenario))
                                : gates::judge(options.gates, run, read_gates_file(options.gates));
    all.insert(all.end(), judgements.begin(), judgements.end());
  }
  fmt::print("{}", render(all, options));
  const auto any = [&](gates::Finding finding) {
    return std::any_of(all.begin(), all.end(),
                       [&](const gates::Judgement& one) { return one.finding == finding; });
  };
  if (any(gates::Finding::kBroken)) return kBad;
  return options.fail_on_inconclusive && any(gates::Finding::kInconclusive) ? kInconclusive : kFine;
}

}  // namespace

void add_gate(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "gate", "Check whether a run's numbers, or their ratios, stay within declared bounds");
  const auto options = std::make_shared<GateOptions>();
  command->add_option("RUN", options->runs, "Results folders")->required();
  command
      ->add_option("--gates", options->gates,
                   "JSON file with \"gates\" that replace those of the run's scenario")
      ->check(CLI::ExistingFile);
  command->add_flag("--fail-on-inconclusive", options->fail_on_inconclusive,
                    "End with exit code 3 when a gate is inconclusive and none is broken");
  command
      ->add_option("--format", options->format,
                   "Output format; junit is for CI servers, github prints annotations")
      ->check(one_of({"text", "md", "json", "junit", "github"}));
  command->callback([options, &exit_code] { exit_code = hold_against_gates(*options); });
}

}  // namespace pacbench::cli
