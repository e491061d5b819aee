#include "harness/calibration/calibrate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/files.h"
#include "cli/command.h"
#include "harness/calibration/foreign_hosts.h"
#include "harness/calibration/saved.h"
#include "harness/calibration/sweep.h"
#include "harness/calibration/table.h"
#include "harness/links/daemon_choice.h"
#include "harness/run/progress.h"

namespace pacbench::cli {
namespace {

struct CalibrateOptions {
  calibration::Options plan;
  std::string daemon = "auto";
  std::string network;
  std::string format = "text";
  std::string output;
  bool sweep = false;
};

/// Prints the progress: on a terminal by redrawing one line, elsewhere as plain lines.
void show(const std::string& what, double share) {
  const char* end = ::isatty(STDERR_FILENO) ? "\x1b[K\r" : "\n";
  fmt::print(stderr, "{:3.0f} %  {}{}", 100 * share, what, end);
  std::fflush(stderr);
}

void require_something_to_measure(const CalibrateOptions& options,
                                  const calibration::ForeignNetwork& network) {
  if (network.topology == "star" || options.plan.all_reduce) return;
  throw ConfigError{
      options.network,
      {{"/topology", fmt::format("found \"{}\", over which only all-reduces are measured, and "
                                 "--no-all-reduce; expected \"star\", or no --no-all-reduce",
                                 network.topology)}}};
}

calibration::Calibration measure(const CalibrateOptions& options,
                                 const calibration::Context& context) {
  if (options.network.empty()) return calibration::measure_own(options.plan, context);
  const auto network =
      calibration::foreign_network_from_json(options.network, read_json_file(options.network));
  require_something_to_measure(options, network);
  auto plan = options.plan;
  plan.rates_mbit = {network.rate_mbit};
  plan.network = {static_cast<int>(network.hosts.size()), network.mtu, network.topology};
  plan.rate_steps = plan.directions = false;
  calibration::ForeignHosts hosts{network};
  auto result = calibration::measure_foreign(plan, context, hosts, network.name);
  result.congestion_control = network.congestion_control;
  return result;
}

/// Whether later runs may compare their probes with a calibration of this network. It must be a
/// star whose queues have the default size, as a scenario's links do unless the scenario says
/// otherwise.
bool is_reference(const calibration::Network& network) {
  return network.topology == "star" && network.queue_bytes == 0;
}

std::string render(const calibration::Calibration& result, const std::string& format) {
  if (format == "json") return to_json(result).dump(2) + '\n';
  if (format == "md") return calibration::render_markdown(result);
  return calibration::render_text(result, report_columns());
}

std::string sweep(const CalibrateOptions& options, const calibration::Context& context) {
  const auto trials = calibration::sweep(options.plan, context);
  if (options.format == "json") return sweep_json(trials, options.plan).dump(2) + '\n';
  if (options.format == "md") return calibration::sweep_markdown(trials, options.plan);
  return calibration::sweep_text(trials, options.plan, report_columns());
}

void write(const CalibrateOptions& options, const std::string& text) {
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file_atomically(options.output, text);
  }
}

int run(const CalibrateOptions& options) {
  auto programs = Programs::find();
  programs.daemon = links::choose_daemon(options.daemon, programs.daemon);
  const Interrupt interrupt;
  const calibration::Context context{programs, interrupt, show};
  if (options.sweep) {
    write(options, sweep(options, context));
    return kFine;
  }
  const auto result = measure(options, context);
  write(options, render(result, options.format));
  if (!options.network.empty() || !is_reference(options.plan.network)) return kFine;
  calibration::save(result);
  fmt::print(stderr, "calibration saved in {}\n", calibration::saved_path(result.machine));
  return kFine;
}

}  // namespace

void add_calibrate(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("calibrate", "Measure how exact the links are on this machine");
  const auto options = std::make_shared<CalibrateOptions>();
  auto& plan = options->plan;
  add_daemon_option(*command, options->daemon);
  command
      ->add_option("--rates", plan.rates_mbit, "Rates to measure, in Mbit/s, separated by commas")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--workers", plan.network.workers, "How many workers there are")
      ->check(CLI::Range(2, netd::CreateRequest::kMaxWorkers))
      ->capture_default_str();
  command
      ->add_option("--topology", plan.network.topology,
                   "Topology of the links: star, or chain3 (three switches in a row), over which "
                   "only all-reduces are measured")
      ->check(one_of({"star", "chain3"}))
      ->capture_default_str();
  command
      ->add_option_function<std::int64_t>(
          "--queue-kb", [&plan](const std::int64_t& kb) { plan.network.queue_bytes = 1024 * kb; },
          "Size of the queue in front of each shaped direction, in KB of 1024 bytes (default: the "
          "size that a scenario's links get)")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--repeat", plan.repeat,
                   "How many times each quantity is measured; at most 3 times with --quick")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--quick", plan.quick, "Take about a minute: fewer repetitions and sizes");
  command->add_flag("--sweep", options->sweep,
                    "Instead of calibrating, compare ways to shape a rate, and list the most exact "
                    "first (takes 15 minutes)");
  command->add_flag("!--no-all-reduce", plan.all_reduce,
                    "Measure no all-reduces; they need pacbench-worker");
  command->add_flag("!--both-only", plan.directions,
                    "Measure only with both directions of each link shaped; leave out the "
                    "measurements with one shaped direction");
  command
      ->add_option("--network", options->network,
                   "Measure the hosts of another emulator instead; this JSON file names them "
                   "(docs/fidelity/emulators.md)")
      ->check(CLI::ExistingFile);
  command->add_option("--format", options->format, "Output format")
      ->check(one_of({"text", "md", "json"}));
  command->add_option("-o,--output", options->output, "Write to this file");
  command->callback([options, &exit_code] {
    if (options->sweep && !options->network.empty()) {
      throw CLI::ExcludesError{"--network", "--sweep"};
    }
    // A sweep sends between two workers of a star, and chooses queues itself. Over a chain only
    // all-reduces are measured.
    const auto& asked = options->plan;
    const bool chain = asked.network.topology != "star";
    if (options->sweep && chain) throw CLI::ExcludesError{"--topology chain3", "--sweep"};
    if (options->sweep && asked.network.queue_bytes > 0) {
      throw CLI::ExcludesError{"--queue-kb", "--sweep"};
    }
    if (chain && !asked.all_reduce)
      throw CLI::ExcludesError{"--topology chain3", "--no-all-reduce"};
    exit_code = run(*options);
  });
}

}  // namespace pacbench::cli
