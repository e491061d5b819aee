#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "analysis/report/report.h"
#include "base/subprocess.h"
#include "cli/command.h"
#include "cli/run_command.h"
#include "contract/scenario/launcher.h"
#include "harness/costs/layer_costs.h"
#include "harness/links/fabric.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/machine/devices.h"
#include "harness/machine/python.h"
#include "harness/plan/scenario_file.h"
#include "harness/run/run.h"
#include "harness/store/manifest.h"
#include "harness/tune/tune.h"
#include "harness/verify/recount.h"

namespace pacbench::cli {
namespace {

/// Prints the links that were not as declared; returns whether there are any.
bool tell_suspects(const RunResult& result) {
  std::set<std::string> links;
  for (const auto& cell : result.cells) {
    if (cell.link_verdict.word != "ok") links.insert(cell.link);
  }
  if (links.empty()) return false;
  fmt::print(
      stderr,
      "suspect: in cells over {}, the network was not as declared; the notes of `pacbench "
      "report --full` say why and what to change (with --accept-suspect this does not change "
      "the exit code)\n",
      fmt::join(links, ", "));
  return true;
}

/// Prints that others took the machine away, where they did: the answer stands, less surely.
void tell_disturbed(const RunResult& result) {
  double most = 0;
  std::size_t cells = 0;
  for (const auto& cell : result.cells) {
    if (!cell.machine_verdict || cell.machine_verdict->word != "disturbed") continue;
    ++cells;
    most = std::max(most, cell.taken_share.value_or(0));
  }
  if (cells == 0) return;
  fmt::print(stderr,
             "disturbed: others took up to {:.0f} % of the CPUs' time from {} of {} cells; times "
             "are estimated from undisturbed iterations, and their ranges are wider (pacbench "
             "report --full says who took what; --resume --again disturbed repeats these cells)\n",
             100 * most, cells, result.cells.size());
}

/// Says when this process, and so what it starts, may use less than the machine's CPUs. What a
/// shared daemon starts has the daemon's limits.
void tell_limits(const std::string& daemon) {
  const auto words = words_of_limits(CpuAllowance::read());
  if (words.empty() || std::filesystem::is_socket(daemon)) return;
  fmt::print(stderr, "this run may use {}\n", words);
}

/// How long the links need for all exchanges of the run, on the clock, where methods declare their
/// bytes beforehand.
double exchanges_s(const run::RunRequest& request, const Programs& programs) {
  const Interrupt interrupt;
  std::map<std::pair<std::string, std::string>, double> step_s;  // by link and label
  for (const auto& link : costs::layer_costs(request.scenario, programs, interrupt).links) {
    for (const auto& method : link.methods) {
      for (const auto& layer : method.layers) step_s[{link.name, method.label}] += layer.wire_s;
    }
  }
  double all_s = 0;
  for (const auto& cell : plan::plan(request.scenario, request.filter)) {
    all_s += step_s[{cell.link.name, cell.method.label}];
  }
  const auto& scenario = request.scenario;
  return all_s * scenario.time_dilation.factor *
         static_cast<double>(scenario.workload.max_iterations);
}

std::string least_words(const run::RunRequest& request, const Programs& programs) {
  const auto& scenario = request.scenario;
  // A run that goes on has cells already, and one that stops at its targets fewer iterations.
  if (request.resume || !trains(scenario) || scenario.workload.stop != "iterations") return "";
  try {
    const auto minutes = std::lround(exchanges_s(request, programs) / 60);
    if (minutes < 1) return "";
    return fmt::format(", and exchanges alone take at least {} minute{}", minutes,
                       minutes == 1 ? "" : "s");
  } catch (const std::exception&) {
    return "";  // a worker that cannot be asked will tell so when the run needs it
  }
}

/// Returns the time dilation of a run that leaves it open: for this machine's CPUs, or as it was
/// decided when a run that goes on began.
TimeDilation decided_dilation(const RunOptions& options, const Scenario& scenario) {
  const auto begun = options.out + "/manifest.json";
  if (options.resume && std::filesystem::exists(begun)) {
    return {store::read_manifest(options.out).scenario.value("time_dilation", 1)};
  }
  if (!options.cluster.on.empty()) return {};
  return chosen_dilation(scenario, CpuAllowance::read().usable());
}

/// Says that a run takes longer than the times that it measures, and about how long at least, where
/// it does.
void tell_dilation(const run::RunRequest& request, const Programs& programs) {
  const int factor = request.scenario.time_dilation.factor;
  if (factor == 1) return;
  const double cpus = CpuAllowance::read().usable();
  fmt::print(
      stderr,
      "emulated time: links, computing and the clock run {0} × slower, so that {1} workers "
      "have {2:g} CPUs as if they were {3:g}; training takes {0} × as long as the times that "
      "are shown{4} (--set /time_dilation=1 runs at full speed)\n",
      factor, request.scenario.workers, cpus, cpus * factor, least_words(request, programs));
}

/// The command that resumes a run, as one could type it.
std::string resume_command(const RunOptions& options, const std::string& folder) {
  std::vector<std::string> words{own_folder() + "/pacbench", "run", options.scenario, "--out",
                                 folder};
  for (const auto& assignment : options.overrides) {
    words.insert(words.end(), {"--set", assignment});
  }
  for (const auto& term : options.only) words.insert(words.end(), {"--only", term});
  if (!options.cluster.on.empty()) words.insert(words.end(), {"--on", options.cluster.on});
  if (!options.cluster.sbatch.empty()) {
    words.insert(words.end(), {"--sbatch", options.cluster.sbatch});
  }
  if (!options.cluster.address.empty()) {
    words.insert(words.end(), {"--address", options.cluster.address});
  }
  if (options.cluster.join_s != launch::ClusterOptions{}.join_s) {
    words.insert(words.end(), {"--join-s", std::to_string(options.cluster.join_s)});
  }
  if (options.daemon != "auto") words.insert(words.end(), {"--daemon", options.daemon});
  if (options.accept_suspect) words.push_back("--accept-suspect");
  if (options.no_progress) words.push_back("--no-progress");
  words.push_back("--resume");
  return shell_words(words);
}

/// Adds the users' classes that the scenario names to the catalogue.
run::RunRequest read_request(const RunOptions& options, Catalogue& catalogue,
                             const Programs& programs) {
  if (options.resume && options.out.empty()) {
    throw ConfigError{
        "--resume",
        {{"", "found no --out, expected --out with the folder of the run to continue"}}};
  }
  auto document = plan::read_scenario(options.scenario);
  for (const auto& assignment : options.overrides) plan::apply_override(document, assignment);
  describe_python(options.scenario, document, programs.folder, catalogue);
  run::RunRequest request;
  request.scenario = scenario_from_json(options.scenario, document, catalogue);
  refuse_launchers(options.scenario, request.scenario);
  if (plan::leaves_device_open(request.scenario)) {
    request.decision = plan::decide_device(request.scenario, ask_devices(programs.worker));
    request.scenario = plan::on_device(request.scenario, *request.decision);
  }
  if (request.scenario.time_dilation.is_auto) {
    request.scenario.time_dilation = decided_dilation(options, request.scenario);
  }
  require_possible_speeds(options.scenario, request.scenario);
  request.filter = plan::parse_filter(options.only, request.scenario);
  request.out = options.out;
  request.resume = options.resume;
  const auto wants = [&](const char* word) {
    return std::find(options.again.begin(), options.again.end(), word) != options.again.end();
  };
  request.again_suspect = wants("suspect");
  request.again_disturbed = wants("disturbed");
  request.progress =
      options.no_progress ? run::Progress::Style::kNone : run::Progress::style_for_stderr();
  return request;
}

/// Tries the settings that the request's scenario lists for tuning. Then replaces that scenario by
/// one with the chosen settings. Returns false after an interrupt.
bool tune_first(run::RunRequest& request, const Catalogue& catalogue, const Programs& programs) {
  if (request.out.empty()) request.out = run::default_folder(request.scenario);
  namespace fs = std::filesystem;
  if (!request.resume && fs::exists(request.out) && !fs::is_empty(request.out)) {
    throw ConfigError{request.out,
                      {{"",
                        "found a folder that is not empty, expected an empty or a new one; go on "
                        "with the run in it with --resume, or give another folder with --out"}}};
  }
  const auto tuned = tune::tune(request, catalogue, request.out + "-tuning",
                                [&](const run::RunRequest& trainings) {
                                  return run::run_scenario(trainings, catalogue, programs);
                                });
  if (tuned.interrupted) return false;
  std::set<std::string> labels;
  for (std::size_t i = 0; i < tuned.scenario.methods.size(); ++i) {
    if (!request.filter["method"].contains(request.scenario.methods[i].label)) continue;
    labels.insert(tuned.scenario.methods[i].label);
  }
  request.filter["method"] = labels;
  request.scenario = tuned.scenario;
  request.resume = request.resume && fs::exists(request.out + "/manifest.json");
  return true;
}

}  // namespace

int run_cells(const RunOptions& typed) {
  auto options = typed;
  options.scenario = plan::scenario_path(typed.scenario);
  auto programs = Programs::find();
  programs.daemon = links::choose_daemon(options.daemon, programs.daemon);
  auto catalogue = load_catalogue(programs);
  auto request = read_request(options, catalogue, programs);
  if (request.decision) {
    // With --format json a program reads standard output, so nothing but JSON is written there.
    fmt::print(options.format == "json" ? stderr : stdout, "{}\n", describe(*request.decision));
    std::fflush(stdout);
  }
  tell_dilation(request, programs);
  if (options.scenario != typed.scenario) fmt::print(stderr, "scenario {}\n", options.scenario);
  check_links(request.scenario, options.cluster);
  if (!options.cluster.on.empty() && request.scenario.time_dilation.factor > 1) {
    throw ConfigError{options.scenario,
                      {{"/time_dilation", fmt::format("found {} with --on, expected 1: each worker "
                                                      "has a host of its own",
                                                      request.scenario.time_dilation.factor)}}};
  }
  request.over_hosts = !options.cluster.on.empty();
  if (request.over_hosts && request.decision) {
    throw ConfigError{options.scenario,
                      {{"/device",
                        "found \"auto\", a device which this host would choose for the nodes; "
                        "expected \"cpu\" or \"cuda\" with --on"}}};
  }
  if (options.dry_run) {
    if (!options.cluster.on.empty()) {
      fmt::print(options.format == "json" ? stderr : stdout, "{}",
                 describe_launch(request.scenario, options.cluster, programs));
    }
    const auto cells = plan::plan(request.scenario, request.filter);
    fmt::print("{}", options.format == "json"
                         ? plan::plan_to_json(request.scenario, cells).dump(2) + '\n'
                         : plan::describe_plan(request.scenario, cells));
    return kFine;
  }
  if (!request.over_hosts) tell_limits(programs.daemon);
  std::unique_ptr<launch::Cluster> nodes;
  if (!options.cluster.on.empty()) {
    nodes = join_cluster(request.scenario, options.cluster, programs,
                         request.resume ? request.out : "", catalogue);
  }
  if (request.scenario.tune && !tune_first(request, catalogue, programs)) {
    options.out = request.out;
    fmt::print(stderr, "interrupted; go on with: {}\n", resume_command(options, request.out));
    return kInterrupted;
  }
  auto outcome = run::run_scenario(request, catalogue, programs);
  if (!outcome.interrupted && has_shares(request.scenario)) {
    outcome.result = verify::with_targets_of_shares(outcome.folder, catalogue, outcome.result);
  }
  const auto report =
      report::build_report({{{{outcome.folder + "/result.json", outcome.result}}, outcome.result}});
  fmt::print("{}", report::render_summary(report, report_columns()));
  std::fflush(stdout);
  fmt::print(stderr, "results in {}; all tables: pacbench report {} --full\n", outcome.folder,
             outcome.folder);
  if (outcome.interrupted) {
    fmt::print(stderr, "interrupted; go on with: {}\n", resume_command(options, outcome.folder));
    return kInterrupted;
  }
  tell_disturbed(outcome.result);
  const bool suspect = tell_suspects(outcome.result);
  if (outcome.not_done > 0) return kBad;
  return suspect && !options.accept_suspect ? kInconclusive : kFine;
}

void add_run(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  auto* command = app.add_subcommand("run", "Run all cells of a scenario and print its table");
  command
      ->add_option(
          "SCENARIO", options->scenario,
          "A scenario's file, the name of one that came with pacbench, or - for standard input")
      ->required();
  command->add_option("--out", options->out, "Results folder (default: results/NAME-TIME)");
  add_set_option(*command, options->overrides);
  add_repeated(*command, "--only", options->only,
               "Run these cells only: method=LABEL[|LABEL],link=NAME,seed=N (may be repeated)");
  add_daemon_option(*command, options->daemon);
  add_cluster_options(*command, options->cluster);
  command->add_flag("--resume", options->resume,
                    "Go on with the run in the folder that --out names");
  command
      ->add_option("--again", options->again,
                   "With --resume: run done cells again whose verdict is suspect or disturbed; "
                   "what they had recorded is kept in tries/")
      ->check(CLI::IsMember({"suspect", "disturbed"}))
      ->delimiter(',');
  auto* dry_run =
      command->add_flag("--dry-run", options->dry_run, "Print the cells; run none, write nothing");
  command
      ->add_option("--format", options->format,
                   "Output format of the dry run: text, or json, which also has what the daemon is "
                   "asked for")
      ->needs(dry_run)
      ->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--accept-suspect", options->accept_suspect,
                    "End with exit code 0, not 3, if all cells are done but a link was not as "
                    "declared");
  command->add_flag("--no-progress", options->no_progress, "No progress on stderr");
  command->callback([options, &exit_code] { exit_code = run_cells(*options); });
}

}  // namespace pacbench::cli
