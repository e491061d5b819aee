#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/check.h"
#include "base/environment.h"
#include "cli/command.h"
#include "cli/run_command.h"
#include "contract/scenario/fabric_request.h"
#include "harness/links/fabric.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"
#include "harness/machine/pseudo_terminal.h"
#include "harness/probes/features.h"

namespace pacbench::cli {
namespace {

constexpr int kTurn_ms = 100;
constexpr int kLastTurn_ms = 10;
constexpr int kLastTurns = 20;

struct ShellOptions {
  OneLineOptions one_line;
  std::string daemon = "auto";
  std::string others = "iperf3 -s";
};

/// The caller's environment, and where the other ranks are.
std::vector<std::string> environment(const links::Fabric& fabric, int workers, int rank) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) all.emplace_back(*each);
  set_variable(all, fmt::format("RANK={}", rank));
  set_variable(all, fmt::format("WORLD_SIZE={}", workers));
  set_variable(all, fmt::format("PACBENCH_ADDRESS={}", fabric.address(rank)));
  for (int other = 0; other < workers; ++other) {
    set_variable(all, fmt::format("RANK{}={}", other, fabric.address(other)));
  }
  return all;
}

int start(links::Fabric& fabric, int workers, int rank, const std::vector<std::string>& words,
          const std::vector<int>& fds) {
  netd::SpawnRequest request{
      rank,
      {"/usr/bin/env", "--chdir=" + std::filesystem::current_path().string()},
      environment(fabric, workers, rank)};
  request.argv.insert(request.argv.end(), words.begin(), words.end());
  request.apart = true;
  return fabric.spawn(request, fds).process;
}

/// Starts a command in every rank but rank 0; it ends with the fabric.
void start_others(links::Fabric& fabric, int workers, const std::string& command) {
  const UniqueFd nothing{check("open /dev/null", ::open("/dev/null", O_RDWR | O_CLOEXEC))};
  for (int rank = 1; rank < workers; ++rank) {
    start(fabric, workers, rank, {"/bin/sh", "-c", command},
          {nothing.get(), nothing.get(), nothing.get()});
  }
}

/// Runs a program with this process's input and output, and returns its exit code.
int run_in_rank_0(links::Fabric& fabric, int workers, const std::vector<std::string>& command) {
  const Interrupt interrupt;
  std::optional<PseudoTerminal> terminal;
  int process = 0;
  if (::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0) {
    terminal.emplace();
    // A shell controls its jobs only on the terminal that its session controls.
    std::vector<std::string> words{"setsid", "--ctty", "--wait"};
    words.insert(words.end(), command.begin(), command.end());
    const int end = terminal->program_end();
    process = start(fabric, workers, 0, words, {end, end, end});
    terminal->started();
  } else {
    process = start(fabric, workers, 0, command, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  }
  for (;;) {
    interrupt.throw_if_requested();
    if (!terminal || !terminal->turn(kTurn_ms)) {
      pollfd daemon{fabric.fd(), POLLIN, 0};
      ::poll(&daemon, 1, kTurn_ms);
    }
    for (const auto& exited : fabric.take_exited()) {
      if (exited.process != process) continue;
      // What the shell wrote last may still be on its way; what it has left running may write on.
      for (int i = 0; i < kLastTurns && terminal && terminal->turn(kLastTurn_ms); ++i) {
      }
      constexpr int kSignalled = 128;
      return exited.signal > 0 ? kSignalled + exited.signal : exited.code;
    }
  }
}

int run(ShellOptions& options) {
  read_links(options.one_line);
  auto& line = options.one_line.line;
  if (line.command.empty()) {
    const auto shell = environment_value("SHELL");
    line.command = {shell.empty() ? "/bin/sh" : shell};
  }
  line.folder = ".";
  auto programs = Programs::find();
  programs.daemon = links::choose_daemon(options.daemon, programs.daemon);
  const auto scenario = scenario_from_json("pacbench shell", plan::scenario_of(line), Catalogue{});
  if (const auto needs = probes::needs_of(scenario); !needs.empty()) {
    probes::require_features("pacbench shell", needs, probes::ask_features(programs.daemon));
  }
  links::Fabric fabric{programs.daemon, fabric_request(scenario, scenario.network.links.front())};
  if (!options.others.empty()) start_others(fabric, line.workers, options.others);
  fmt::print(stderr,
             "{}. This is rank 0. The others are rank1 to rank{}, and $RANK1 to $RANK{} have their "
             "addresses{}. `exit` ends it.\n",
             plan::words_of(line), line.workers - 1, line.workers - 1,
             options.others.empty() ? "" : fmt::format("; in each runs `{}`", options.others));
  return run_in_rank_0(fabric, line.workers, line.command);
}

}  // namespace

void add_shell(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ShellOptions>();
  auto* command = app.add_subcommand(
      "shell",
      "Open a shell as rank 0 of some workers, to look at their links: shell -n 2 --rate 100mbit");
  add_one_line_options(*command, options->one_line,
                       "What runs in place of the shell, after -- (default: $SHELL)");
  command
      ->add_option("--others", options->others,
                   "Command that a shell runs in each other rank meanwhile")
      ->capture_default_str();
  add_daemon_option(*command, options->daemon);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace pacbench::cli
