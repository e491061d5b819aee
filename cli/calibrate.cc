#include "harness/calibration/calibrate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/command.h"
#include "contract/scenario/time_dilation.h"
#include "harness/calibration/result.h"
#include "harness/links/fabric.h"
#include "harness/run/progress.h"

namespace pacbench::cli {
namespace {

struct CalibrateOptions {
  calibration::Options plan;
  std::string daemon = "auto";
  std::string format = "text";
  std::string output;
};

/// Prints the progress: on a terminal by redrawing one line, elsewhere as plain lines.
void show(const std::string& what, double share) {
  const char* end = ::isatty(STDERR_FILENO) ? "\x1b[K\r" : "\n";
  fmt::print(stderr, "{:3.0f} %  {}{}", 100 * share, what, end);
  std::fflush(stderr);
}

/// Whether later runs may compare their probes with a calibration of this network. It must be a
/// star at full speed whose queues have the default size, as a scenario's links do unless the
/// scenario says otherwise.
bool is_reference(const calibration::Network& network) {
  return network.topology == "star" && network.queue_bytes == 0 && network.time_dilation == 1;
}

std::string render(const calibration::Calibration& result, const std::string& format) {
  if (format == "json") return to_json(result).dump(2) + '\n';
  if (format == "md") return calibration::render_markdown(result);
  return calibration::render_text(result, report_columns());
}

void run(const CalibrateOptions& options) {
  auto programs = Programs::find();
  programs.daemon = links::choose_daemon(options.daemon, programs.daemon);
  const Interrupt interrupt;
  const calibration::Context context{programs, interrupt, show};
  const auto result = calibration::calibrate(options.plan, context);
  print_or_write(render(result, options.format), options.output);
  if (!is_reference(options.plan.network)) return;
  calibration::save(result);
  fmt::print(stderr, "calibration saved in {}\n", calibration::saved_path(result.machine));
}

}  // namespace

void add_calibrate(CLI::App& app, int&) {
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
  add_checked(*command, "--workers", plan.network.workers, "How many workers there are",
              CLI::Range(2, netd::CreateRequest::kMaxWorkers));
  add_checked(*command, "--topology", plan.network.topology,
              "Topology of the links: star, or chain3 (three switches in a row), over which "
              "only all-reduces are measured",
              one_of({"star", "chain3"}));
  command
      ->add_option_function<std::int64_t>(
          "--queue-kb", [&plan](const std::int64_t& kb) { plan.network.queue_bytes = 1024 * kb; },
          "Size of the queue in front of each shaped direction, in KB of 1024 bytes (default: the "
          "size that a scenario's links get)")
      ->check(CLI::PositiveNumber);
  add_checked(*command, "--time-dilation", plan.network.time_dilation,
              "Measure the links as they run at this time_dilation: at 1/K of their rates",
              CLI::Range(1, TimeDilation::kMost));
  command
      ->add_option("--repeat", plan.repeat,
                   "How many times each quantity is measured; at most 3 times with --quick")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--quick", plan.quick, "Take about a minute: fewer repetitions and sizes");
  command->add_flag("!--no-all-reduce", plan.all_reduce,
                    "Measure no all-reduces; they need pacbench-worker");
  command->add_flag("!--both-only", plan.directions,
                    "Measure only with both directions of each link shaped; leave out the "
                    "measurements with one shaped direction");
  command->add_option("--format", options->format, "Output format")
      ->check(one_of({"text", "md", "json"}));
  command->add_option("-o,--output", options->output, "Write to this file");
  command->callback([options] {
    const auto& asked = options->plan;
    // Over a chain only all-reduces are measured.
    if (asked.network.topology != "star" && !asked.all_reduce)
      throw CLI::ExcludesError{"--topology chain3", "--no-all-reduce"};
    run(*options);
  });
}

}  // namespace pacbench::cli
