#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/clock.h"
#include "base/files.h"
#include "cli/command.h"
#include "cli/run_command.h"

namespace pacbench::cli {
namespace {

struct ExecOptions {
  OneLineOptions one_line;
  RunOptions run;
};

/// Writes the scenario that the line stands for beside the run's folder. Returns its path.
std::string write_scenario(plan::OneLine& line, const std::string& out) {
  namespace fs = std::filesystem;
  const auto path = out + ".json";
  const auto folder = fs::absolute(path).parent_path();
  for (const auto& taken : {path, out}) {
    if (!fs::exists(taken)) continue;
    throw ConfigError{taken, {{"", "is there already, expected a new folder in --out"}}};
  }
  line.folder = fs::current_path().lexically_relative(folder).string();
  const auto scenario = plan::scenario_of(line).dump(2) + '\n';
  fs::create_directories(folder);
  write_file_atomically(path, scenario);
  return path;
}

int run(ExecOptions& options) {
  read_links(options.one_line);
  auto& line = options.one_line.line;
  auto& out = options.run.out;
  if (out.empty()) {
    out = fmt::format("results/{}-{}", plan::program_name(line.command), utc_now(true));
  }
  options.run.scenario = write_scenario(line, out);
  fmt::print(stderr, "{}; scenario {}\n", plan::words_of(line), options.run.scenario);
  return run_cells(options.run);
}

}  // namespace

void add_exec(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ExecOptions>();
  auto* command = app.add_subcommand(
      "exec",
      "Run a training program over links, without a scenario: exec -n 4 --rate 100mbit --rtt 20ms "
      "-- python3 train.py");
  add_one_line_options(*command, options->one_line, "The program and its arguments, after --")
      .required();
  auto& line = options->one_line.line;
  add_checked(*command, "--seeds", line.seeds,
              "Run with seeds 1 to this number ({seed} in COMMAND)", CLI::Range(1, 1000));
  add_repeated(*command, "--vary", line.vary,
               "Arguments after those of COMMAND, as one word: a row of the table for each "
               "--vary");
  add_repeated(*command, "--env", line.environment,
               "A variable of each rank: NAME=value, or NAME for its value here");
  command->add_option("--out", options->run.out,
                      "Results folder (default: results/NAME-TIME); the scenario that this line "
                      "stands for is written beside it");
  add_set_option(*command, options->run.overrides);
  add_daemon_option(*command, options->run.daemon);
  command->add_flag("--accept-suspect", options->run.accept_suspect,
                    "End with exit code 0, not 3, if a link was not as declared");
  command->add_flag("--no-progress", options->run.no_progress, "No progress on stderr");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace pacbench::cli
